import { randomBytes } from "node:crypto";
import {
  finishConfirmation,
  finishRegistration,
  passkeySiteOf,
  startConfirmation,
  startRegistration,
} from "@sealhouse/identity";
import type { PasskeyHolder } from "@sealhouse/identity";
import { createMemoryPasskeys } from "@sealhouse/identity/testing";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addVirtualAuthenticator, hasBrowser, launchBrowser, openForeignSite } from "./browser.ts";

const act = { action: "publish-name", subject: "npm/@acme/app" } as const;
const by = { actor: "alice" };

describe.skipIf(!hasBrowser)("passkeys of a browser", () => {
  const cleanUp = new AsyncDisposableStack();
  let browser: Browser;
  let page: Page;
  let holder: PasskeyHolder;

  beforeAll(async () => {
    const pages = cleanUp.use(await openForeignSite());
    const url = `http://localhost:${new URL(pages.url).port}/`;
    const site = passkeySiteOf(url);
    if (!site) throw new Error("localhost has passkeys");
    const user = { id: "user-1", handle: "alice", displayName: "Alice" };
    holder = { user, sessionHash: "a".repeat(64), site };
    browser = await launchBrowser();
    cleanUp.defer(() => browser.close());
    page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await addVirtualAuthenticator(page);
  });
  afterAll(() => cleanUp.disposeAsync());

  function openParts() {
    const passkeys = createMemoryPasskeys();
    const { challenges } = passkeys;
    const random = (size: number) => randomBytes(size);
    return { passkeys, challenges, serverName: "Sealhouse", now: () => new Date(), random };
  }

  test("are registered once, and confirm an action each time", async () => {
    const parts = openParts();
    const register = async () => {
      const options = await startRegistration(parts, holder);
      return page.evaluate(createPasskey(options));
    };
    const answer = await register();
    const outcome = await finishRegistration(parts, holder, { answer, name: "Laptop", by });
    expect(outcome).toMatchObject({ status: "added", passkey: { rpId: "localhost" } });
    expect(await register()).toBe("InvalidStateError");
    for (let round = 0; round < 3; round += 1) {
      const options = await startConfirmation(parts, holder, act);
      if (!options) throw new Error("the user has no passkey");
      const confirmed = await page.evaluate(usePasskey(options));
      const finished = await finishConfirmation(parts, holder, { ...act, answer: confirmed });
      expect(finished.status).toBe("confirmed");
      const again = await finishConfirmation(parts, holder, { ...act, answer: confirmed });
      expect(again.status).toBe("refused");
    }
    const [passkey] = await parts.passkeys.list("user-1");
    expect(passkey?.counter).toBeGreaterThan(2);
  });
});

/** Returns a script for the page, as text because Node has no types of browsers. */
function createPasskey(options: object): string {
  return `navigator.credentials.create({
    publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(${JSON.stringify(options)}),
  }).then((credential) => credential.toJSON(), (error) => error.name)`;
}

function usePasskey(options: object): string {
  return `navigator.credentials.get({
    publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(${JSON.stringify(options)}),
  }).then((credential) => credential.toJSON())`;
}
