import { openExampleSessions } from "./example-sessions.ts";
import type { SessionExampleOptions } from "./example-sessions.ts";
import { openSessionBrowser } from "./session-browser.ts";

export { SESSION } from "./session-browser.ts";

/** The example with a browser that has no cookies yet. */
export function openExample(options: SessionExampleOptions = {}) {
  const example = openExampleSessions(options);
  return { ...example, ...openSessionBrowser(example) };
}

/** The example with a browser that is signed in as Ada, an administrator. */
export async function openSignedIn(options: SessionExampleOptions = {}) {
  const browser = openExample(options);
  const state = await browser.startAtProvider();
  const answer = await browser.get(`/signin-microsoft?code=good&state=${state}`);
  if (answer.status !== 303) throw new Error(`the sign-in answered ${answer.status}`);
  return browser;
}
