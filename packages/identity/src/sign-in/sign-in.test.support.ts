import { createSettings, readSources } from "@sealhouse/settings";
import { randomBytes } from "node:crypto";
import { parseSignIn } from "../settings/parse-sign-in.ts";
import { SIGN_IN_SETTINGS } from "../settings/sign-in-table.ts";
import { signInAt } from "../testing/sign-in-browser.ts";
import { createSignInProvider } from "./create-provider.ts";
import type { SignInProviderOptions } from "./provider-options.ts";
import type { RefusedPerson, SignInAttempt, SignInProvider, VerifiedPerson } from "./provider.ts";

export const REDIRECT_URI = "https://packages.example/signin";

/** The provider of a stand-in's settings. `more`: keys below `Host__Authentication`. */
export function providerOf(
  settings: Readonly<Record<string, string>>,
  more: Readonly<Record<string, string>> = {},
  options: Partial<SignInProviderOptions> = {},
): SignInProvider {
  const added = Object.entries(more).map(([key, text]) => [`Host__Authentication__${key}`, text]);
  const { entries } = readSources({
    env: { ...settings, ...Object.fromEntries(added) },
    args: [],
    folders: [],
    readFile: () => undefined,
    table: SIGN_IN_SETTINGS,
    environmentKey: "ENVIRONMENT",
  });
  const opened = createSettings(entries, { table: SIGN_IN_SETTINGS });
  const config = parseSignIn(opened);
  if (!config || opened.problems.length > 0) throw new Error(opened.problems.join("\n"));
  return createSignInProvider(config, { fetch, now: () => new Date(), ...options });
}

export function newAttempt(): SignInAttempt {
  const random = () => randomBytes(32).toString("base64url");
  return { state: random(), nonce: random(), verifier: random(), redirectUri: REDIRECT_URI };
}

/** Signs an account in. `change` edits the URL with which the browser comes back. */
export async function signIn(
  provider: SignInProvider,
  login: string,
  change: (callback: URL) => void = () => undefined,
): Promise<VerifiedPerson | RefusedPerson> {
  const attempt = newAttempt();
  const callback = await signInAt(await provider.start(attempt), {
    login,
    redirectUri: REDIRECT_URI,
  });
  change(callback);
  return provider.finish(callback, attempt);
}

/** The grant of a person who signed in. */
export function grantOf(person: VerifiedPerson | RefusedPerson): Uint8Array {
  if (person.status === "refused") throw new Error(`${person.code}: ${person.reason}`);
  if (!person.grant) throw new Error("the provider gave no grant");
  return person.grant;
}
