import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdTokenIssuerStandIn, IdTokenWish } from "../testing/id-token-issuer-stand-in.ts";
import { openIdTokenIssuerStandIn } from "../testing/id-token-issuer-stand-in.ts";
import { createIdTokenVerification, ID_TOKEN_DAYS_MAX } from "./verify-id-token.ts";
import type { IdTokenOptions } from "./verify-id-token.ts";

const OURS = "npm:registry.test";
const seconds = Math.floor(Date.now() / 1000);
const isOurs = (audience: string) => audience === OURS;

describe("ID tokens", () => {
  let issuer: IdTokenIssuerStandIn;

  beforeAll(async () => {
    issuer = await openIdTokenIssuerStandIn();
  });
  afterAll(() => issuer[Symbol.asyncDispose]());

  function verification(
    more: Partial<Pick<IdTokenOptions, "cooldownMs" | "fetch" | "onUnreadableKeys">> = {},
  ) {
    const options = { issuers: [issuer.issuer], fetch, now: () => new Date(), ...more };
    return createIdTokenVerification(options);
  }

  test.each(["RS256", "ES256"] as const)(
    "pass verification when signed with %s",
    async (algorithm) => {
      const text = issuer.token(OURS, { algorithm, claims: { repository: "acme/demo" } });
      expect(await verification()(text, isOurs)).toMatchObject({
        status: "valid",
        token: { issuer: issuer.issuer, claims: { repository: "acme/demo" } },
      });
    },
  );

  const wrong: readonly (readonly [what: string, wish: IdTokenWish, words: string])[] = [
    ["from elsewhere", { claims: { iss: "https://elsewhere.test" } }, "does not trust the issuer"],
    ["for others", { claims: { aud: "npm:elsewhere.test" } }, "not this registry"],
    ["for others too", { claims: { aud: [OURS, "sts"] } }, "not this registry"],
    ["for nobody", { claims: { aud: undefined } }, '"aud"'],
    ["for an empty list", { claims: { aud: [] } }, "not this registry"],
    ["that ended", { claims: { exp: seconds - 60 } }, "has expired"],
    ["without an end", { claims: { exp: undefined } }, '"exp"'],
    ["that begins later", { claims: { nbf: seconds + 600 } }, '"nbf"'],
    ["of the future", { claims: { iat: seconds + 600, nbf: undefined } }, "in the future"],
    ["for ever", { claims: { exp: seconds + (ID_TOKEN_DAYS_MAX + 1) * 86_400 } }, "too long"],
    ["of a strange key", { withStrangeKey: true }, "not among the published keys"],
  ];
  test.each(wrong)("refuses %s", async (_what, wish, words) => {
    const verdict = await verification()(issuer.token(OURS, wish), isOurs);
    expect(verdict).toEqual({
      status: "refused",
      reason: expect.stringContaining(words) as string,
    });
  });

  test("end with the clock tolerance, so that a use is stored for as long", async () => {
    const exp = Math.floor(Date.now() / 1_000) - 20;
    const verdict = await verification()(issuer.token(OURS, { claims: { exp } }), isOurs);
    if (verdict.status !== "valid") throw new Error(verdict.reason);
    expect(verdict.token.endsAt.getTime()).toBeGreaterThan((exp + 30) * 1_000);
  });

  test("refuses tokens without a valid signature", async () => {
    const verify = verification();
    const [header = "", , signature = ""] = issuer.token(OURS).split(".");
    const claims = { iss: issuer.issuer, aud: OURS, iat: seconds, exp: seconds + 60 };
    const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    const texts = [`${header}.${payload}.${signature}`, `${none}.${payload}.`, "a.b.c", "", "x"];
    for (const text of [...texts, "x".repeat(20_000)]) {
      expect((await verify(text, isOurs)).status, text.slice(0, 20)).toBe("refused");
    }
  });

  test("have a unique fingerprint per issuance", async () => {
    const verify = verification();
    const printOf = async (text: string) => {
      const verdict = await verify(text, isOurs);
      return verdict.status === "valid" ? verdict.token.fingerprint : verdict.reason;
    };
    const text = issuer.token(OURS);
    expect(await printOf(text)).toBe(await printOf(text));
    expect(await printOf(issuer.token(OURS))).not.toBe(await printOf(text));
    const unnamed = issuer.token(OURS, { claims: { jti: undefined } });
    expect(await printOf(unnamed)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("trigger one request for new keys of the issuer", async () => {
    const verify = verification({ cooldownMs: 0 });
    const old = issuer.token(OURS);
    expect((await verify(old, isOurs)).status).toBe("valid");
    issuer.rotate();
    const before = issuer.paths.length;
    for (let count = 0; count < 3; count++) {
      expect((await verify(issuer.token(OURS), isOurs)).status).toBe("valid");
    }
    expect(issuer.paths.slice(before)).toEqual(["/keys"]);
    expect((await verify(old, isOurs)).status).toBe("refused");
  });

  test("with unknown keys do not cause repeated requests", async () => {
    const verify = verification();
    expect((await verify(issuer.token(OURS), isOurs)).status).toBe("valid");
    const before = issuer.paths.length;
    for (let count = 0; count < 3; count++) {
      const strange = issuer.token(OURS, { withStrangeKey: true });
      expect((await verify(strange, isOurs)).status).toBe("refused");
    }
    expect(issuer.paths.slice(before)).toEqual([]);
  });

  test("refuses tokens while their issuer is silent, without a request for each", async () => {
    let requestCount = 0;
    const failing: typeof fetch = async () => {
      requestCount += 1;
      throw new Error("no route");
    };
    const reports: unknown[][] = [];
    const onUnreadableKeys = (...report: unknown[]) => void reports.push(report);
    const verify = verification({ fetch: failing, onUnreadableKeys });
    for (let count = 0; count < 3; count++) {
      expect(await verify(issuer.token(OURS), isOurs)).toMatchObject({
        status: "refused",
        reason: expect.stringContaining("no route") as string,
        isUnjudged: true,
      });
    }
    expect(requestCount).toBe(1);
    expect(reports).toEqual([[issuer.issuer, "no route"]]);
  });
});

test("refuses an issuer with an endless or a foreign document", async () => {
  const bodies = [`"${"x".repeat(300_000)}"`, '{"issuer":"https://other.test","jwks_uri":"x"}'];
  await using issuer = await openIdTokenIssuerStandIn();
  for (const body of bodies) {
    const server = createServer((_request, response) => response.end(body));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const iss = `http://127.0.0.1:${port}`;
    const verify = createIdTokenVerification({ issuers: [iss], fetch, now: () => new Date() });
    const verdict = await verify(issuer.token(OURS, { claims: { iss } }), isOurs);
    server.close();
    server.closeAllConnections();
    expect(verdict).toMatchObject({
      status: "refused",
      reason: expect.stringMatching(/more than 262144 bytes|does not describe/) as string,
    });
  }
});
