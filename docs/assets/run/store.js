// Do something with the browser's store. Where that is closed or full, nothing is done.
export function store(act) {
  try {
    return act(localStorage);
  } catch {
    return undefined;
  }
}
