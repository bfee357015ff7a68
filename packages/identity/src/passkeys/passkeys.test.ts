import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createMemoryPasskeys, createSoftwarePasskey } from "../testing/index.ts";
import type { AnswerChange } from "../testing/index.ts";
import { finishConfirmation, startConfirmation } from "./confirm-passkey.ts";
import type { ConfirmedAction } from "./confirm-passkey.ts";
import { passkeySiteOf } from "./passkey-site.ts";
import { finishRegistration, startRegistration } from "./register-passkey.ts";
import type { PasskeyHolder } from "./register-passkey.ts";

const site = { origin: "https://registry.example", rpId: "registry.example" };
const by = { actor: "alice" };
const alice: PasskeyHolder = {
  user: { id: "user-1", handle: "alice", displayName: "Alice" },
  sessionHash: "a".repeat(64),
  site,
};
const bob: PasskeyHolder = {
  user: { id: "user-2", handle: "bob", displayName: "Bob" },
  sessionHash: "b".repeat(64),
  site,
};
const act: ConfirmedAction = { action: "add-trust", subject: "npm/@acme/app" };

async function setUp(counts = true) {
  const passkeys = createMemoryPasskeys();
  const clock = { now: new Date("2026-01-01T00:00:00Z") };
  const parts = {
    passkeys,
    challenges: passkeys.challenges,
    serverName: "Sealhouse",
    now: () => clock.now,
    random: (size: number) => randomBytes(size),
  };
  const register = async (holder: PasskeyHolder, change: AnswerChange = {}) => {
    const device = createSoftwarePasskey({ ...site, counts });
    const options = await startRegistration(parts, holder);
    const answer = device.create(options, change);
    const outcome = await finishRegistration(parts, holder, { answer, name: "Laptop", by });
    return { device, options, answer, outcome };
  };
  const start = async (holder = alice, wanted = act) => {
    const options = await startConfirmation(parts, holder, wanted);
    if (!options) throw new Error("the user has no passkey");
    return options;
  };
  const finish = async (answer: unknown, holder = alice, wanted = act) =>
    (await finishConfirmation(parts, holder, { ...wanted, answer })).status;
  return { passkeys, parts, clock, register, start, finish };
}

test("a passkey is registered and confirms an action", async () => {
  const { register, start, finish, passkeys } = await setUp();
  const { device, options, outcome } = await register(alice);
  expect(options).toMatchObject({
    rp: { id: "registry.example", name: "Sealhouse" },
    user: { name: "alice" },
    attestation: "none",
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: "public-key" })),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  });
  expect(outcome).toMatchObject({ status: "added", passkey: { name: "Laptop", rpId: site.rpId } });
  const request = await start();
  expect(request).toMatchObject({
    rpId: "registry.example",
    userVerification: "required",
    allowCredentials: [{ id: device.id }],
  });
  expect(await finish(device.confirm(request))).toBe("confirmed");
  expect(await passkeys.list("user-1")).toMatchObject([{ counter: 2, usedAt: expect.any(Date) }]);
});

test("a user without a passkey for the address gets no options", async () => {
  const { register, parts } = await setUp();
  expect(await startConfirmation(parts, alice, act)).toBeUndefined();
  await register(alice);
  const elsewhere = { origin: "https://other.example", rpId: "other.example" };
  expect(await startConfirmation(parts, { ...alice, site: elsewhere }, act)).toBeUndefined();
});

const attacks: readonly (readonly [string, AnswerChange])[] = [
  ["another origin", { origin: "https://registry.example.evil.example" }],
  ["another port", { origin: "https://registry.example:8443" }],
  ["another host name", { rpId: "evil.example" }],
  ["no verification of the user", { isUserVerified: false }],
];

const strangeChallenge = { challenge: randomBytes(32).toString("base64url") };

test("neither registers nor confirms with a challenge of another server", async () => {
  const { register, start, finish } = await setUp();
  expect((await register(alice, strangeChallenge)).outcome.status).toBe("refused");
  const { device } = await register(alice);
  expect(await finish(device.confirm(await start(), strangeChallenge))).toBe("refused");
});

test.each([...attacks, ["the type of a confirmation", { type: "webauthn.get" }] as const])(
  "registers nothing with %s",
  async (_what, change) => {
    const { register, passkeys } = await setUp();
    expect((await register(alice, change)).outcome.status).toBe("refused");
    expect(await passkeys.list("user-1")).toEqual([]);
  },
);

test.each([
  ...attacks,
  ["the type of a registration", { type: "webauthn.create" }] as const,
  ["the counter of the registration", { counter: 1 }] as const,
  ["a counter that went back", { counter: 0 }] as const,
])("confirms nothing with %s", async (_what, change) => {
  const { register, start, finish, passkeys } = await setUp();
  const { device } = await register(alice);
  const request = await start();
  expect(await finish(device.confirm(request, change))).toBe("refused");
  // Each challenge is for one attempt.
  expect(await finish(device.confirm(request))).toBe("refused");
  expect(await passkeys.list("user-1")).toMatchObject([{ counter: 1 }]);
  expect(await finish(device.confirm(await start()))).toBe("confirmed");
});

test("an answer works once, within five minutes", async () => {
  const { register, start, finish, clock } = await setUp(false);
  const { device } = await register(alice);
  const answer = device.confirm(await start());
  expect(await finish(answer)).toBe("confirmed");
  expect(await finish(answer)).toBe("refused");
  const late = device.confirm(await start());
  clock.now = new Date(clock.now.getTime() + 5 * 60_000);
  expect(await finish(late)).toBe("refused");
});

test.each([
  ["action", { action: "delete-permanently", subject: "npm/@acme/app" }],
  ["subject", { action: "add-trust", subject: "npm/other" }],
  ["subject, which is missing", { action: "add-trust" }],
] as const)("an answer does not confirm another %s", async (_what, wanted) => {
  const { register, start, finish } = await setUp();
  const { device } = await register(alice);
  expect(await finish(device.confirm(await start()), alice, wanted)).toBe("refused");
});

test("an answer confirms nothing in another session or for another user", async () => {
  const { register, start, finish } = await setUp();
  const { device } = await register(alice);
  const { device: bobs } = await register(bob);
  const other = { ...alice, sessionHash: "c".repeat(64) };
  expect(await finish(device.confirm(await start()), other)).toBe("refused");
  expect(await finish(device.confirm(await start()), bob)).toBe("refused");
  // The passkey of another user signs the right challenge.
  expect(await finish(bobs.confirm(await start()))).toBe("refused");
  // A signature of another passkey under the id of the own one.
  const forged = { ...bobs.confirm(await start()), id: device.id, rawId: device.id };
  expect(await finish(forged)).toBe("refused");
});

test("a registration ends once, in its session, and a passkey has one owner", async () => {
  const { register, parts } = await setUp();
  const { answer, device } = await register(alice);
  const again = { answer, name: "x", by };
  expect((await finishRegistration(parts, alice, again)).status).toBe("refused");
  const options = await startRegistration(parts, bob);
  expect(
    await finishRegistration(parts, bob, { ...again, answer: device.create(options) }),
  ).toEqual({
    status: "refused",
    reason: "This passkey is registered already.",
  });
  const other = { ...alice, sessionHash: "c".repeat(64) };
  const mine = createSoftwarePasskey(site).create(await startRegistration(parts, alice));
  expect((await finishRegistration(parts, other, { ...again, answer: mine })).status).toBe(
    "refused",
  );
});

test.each([undefined, null, "x", {}, { id: "x" }, { id: "x", rawId: "y", type: "public-key" }])(
  "refuses the answer %j",
  async (answer) => {
    const { parts, finish } = await setUp();
    expect(await finish(answer)).toBe("refused");
    const outcome = await finishRegistration(parts, alice, { answer, name: "x", by });
    expect(outcome.status).toBe("refused");
  },
);

test("only one of two parallel answers with a counter is stored", async () => {
  const { register, start, finish } = await setUp();
  const { device } = await register(alice);
  const [first, second] = [await start(), await start()];
  const answers = [device.confirm(first, { counter: 9 }), device.confirm(second, { counter: 9 })];
  const outcomes = await Promise.all(answers.map((answer) => finish(answer)));
  expect(outcomes.filter((status) => status === "confirmed")).toHaveLength(1);
});

test.each([
  [
    "https://registry.example/path",
    { origin: "https://registry.example", rpId: "registry.example" },
  ],
  [
    "https://registry.example:8443",
    { origin: "https://registry.example:8443", rpId: "registry.example" },
  ],
  ["http://localhost:8080", { origin: "http://localhost:8080", rpId: "localhost" }],
  ["http://registry.example", undefined],
  ["https://127.0.0.1", undefined],
  ["https://[::1]:8443", undefined],
])("the site of %s", (url, expected) => {
  expect(passkeySiteOf(url)).toEqual(expected);
});
