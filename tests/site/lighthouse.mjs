// What Lighthouse says of a page on a phone, as JSON.
// Usage: node lighthouse.mjs <port of a running Chromium> <address>
//
// Lighthouse loads the page at full speed and computes from that how a mid-tier
// phone on slow 4G would fare. How much slower such a phone is than this machine
// depends on the machine, and on what else it does now: so the CPU is measured
// first, by Lighthouse's own benchmark, and the slowdown follows from it.

import lighthouse from "lighthouse";
import { pageFunctions } from "lighthouse/core/lib/page-functions.js";
import * as constants from "lighthouse/core/config/constants.js";
import puppeteer from "puppeteer-core";

const [port, address] = process.argv.slice(2);

// The rule of the calculator that Lighthouse's docs/throttling.md points to.
function slowdown(index) {
  if (index < 800) return Math.max(1, 1 + (index - 150) / 650);
  if (index < 1300) return 2 + (index - 800) / 500;
  return 3 + (index - 1300) / 233;
}

const browser = await puppeteer.connect({ browserURL: `http://127.0.0.1:${port}` });
const page = await browser.newPage();
const index = await page.evaluate(pageFunctions.computeBenchmarkIndex);
await page.close();
browser.disconnect();

const throttling = {
  ...constants.throttling.mobileSlow4G,
  cpuSlowdownMultiplier: slowdown(index),
};
const { lhr } = await lighthouse(
  address,
  { port, logLevel: "silent" },
  { extends: "lighthouse:default", settings: { throttling } },
);

const scores = Object.values(lhr.categories).map(({ id, score }) => [id, score * 100]);
const failed = Object.values(lhr.categories)
  .flatMap(({ auditRefs }) => auditRefs)
  .filter(({ id, weight }) => weight && (lhr.audits[id].score ?? 1) < 0.9)
  .map(({ id }) => `${id}: ${lhr.audits[id].displayValue ?? lhr.audits[id].title}`);
console.log(JSON.stringify({ scores: Object.fromEntries(scores), failed, index }));
