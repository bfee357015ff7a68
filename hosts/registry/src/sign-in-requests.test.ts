import { openOutgoingFetch } from "@sealhouse/http-server";
import { createSignInProvider } from "@sealhouse/identity";
import { openOpenIdStandIn } from "@sealhouse/identity/testing";
import { expect, test } from "vitest";
import { loadConfig } from "./settings/load.ts";

const PEPPER = "q8Zr2LwX5vTn7KcB1MjH4GfD9SaP6YuE3WiO0RxQ";

test("asks a provider in a private network only when the settings allow it", async () => {
  const redirectUri = "https://packages.example/signin-google";
  await using standIn = await openOpenIdStandIn({
    kind: "google",
    users: {},
    redirectUris: [],
  });
  await standIn.register(redirectUri);
  const start = async (allowed: "true" | "false"): Promise<URL> => {
    const env = {
      Feed__PublicBaseUrl: "https://packages.example",
      Host__TokenHashPepper: PEPPER,
      ...standIn.settings,
      Host__OutgoingRequests__AllowPrivateAddresses: allowed,
    };
    const { config, warnings } = loadConfig({ env, workingFolder: "/nonexistent" });
    expect(warnings).toEqual([]);
    if (!config.signIn) throw new Error("no provider");
    const fetch = openOutgoingFetch(config.host);
    const provider = createSignInProvider(config.signIn, { fetch, now: () => new Date() });
    return provider.start({ state: "s", nonce: "n", verifier: "v".repeat(43), redirectUri });
  };
  await expect(start("false")).rejects.toThrow(
    /Google cannot be asked: .*Host__OutgoingRequests__AllowPrivateAddresses=true/,
  );
  const answer = await fetch(await start("true"), { redirect: "manual" });
  expect(answer.headers.get("location")).toMatch(/^\/interaction\//);
});
