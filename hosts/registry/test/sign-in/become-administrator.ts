import { expect } from "vitest";
import type { TestHost } from "../../src/testing/index.ts";

const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** Takes the link that the host printed, as a browser does; returns the cookie of the session. */
export async function becomeAdministrator(host: TestHost): Promise<string> {
  // The host prints the link after it says that it listens.
  await expect.poll(() => linkIn(host)).not.toBe("");
  const path = linkIn(host);
  const page = await host.fetch(path);
  const [form = ""] = page.headers.getSetCookie().map((line) => line.split(";")[0]);
  const proof = /name="proof"\s+value="([^"]*)"/.exec(await page.text())?.[1] ?? "";
  const answer = await host.fetch(path, {
    method: "POST",
    redirect: "manual",
    headers: { ...FORM, cookie: form, "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ proof }).toString(),
  });
  expect([answer.status, answer.headers.get("location")]).toEqual([303, "/account"]);
  return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

/** The path of the link that the host printed; empty when it has printed none. */
export function linkIn(host: TestHost): string {
  return /\/first-administrator\/[\w-]+/.exec(host.output())?.[0] ?? "";
}
