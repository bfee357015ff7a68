import type { SigningKeyRecord } from "@sealhouse/npm-protocol";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { textField } from "../promotion/fields.ts";
import { absent, busy, conflict } from "../refusal.ts";
import { shown } from "../shown.ts";

const TIME = z.iso.datetime();

const NPM_KEY = z
  .strictObject({
    keyId: z.string(),
    publicKey: z.string().describe("DER, base64."),
    createdAt: TIME,
    announcedAt: TIME.optional().describe("Absent: clients do not see it yet."),
    expiresAt: TIME.optional(),
    own: z.boolean().describe("False: a key of another registry, for mirrored packages."),
    signs: z.boolean(),
  })
  .meta({ id: "NpmKey", title: "A key that npm clients verify signatures with" });

/** A key as the API and commands show it. */
export type ShownNpmKey = z.output<typeof NPM_KEY>;

const COMMON = { scope: "signing:write", form: { none: "Keys have no form." } } as const;
const CHANGE = { ...COMMON, method: "POST", lasting: "change-signing" } as const;

const list = defineAction({
  ...COMMON,
  id: "npm.list-keys",
  summary: "list the keys that clients verify signatures with",
  method: "GET",
  path: "/npm/keys",
  command: "npm keys list",
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(NPM_KEY),
  refusals: [],
  async run({ input, parts }) {
    const { currentOf } = await import("@sealhouse/npm-protocol");
    const records = await (await parts.rows()).npm.signingKeys.list();
    const current = currentOf(records)?.keyId;
    const keys = records.map((record) => shownKey(record, current));
    return pageOf(keys, input, ({ createdAt, keyId }) => [createdAt, keyId].join(" "));
  },
});

const rotate = defineAction({
  ...CHANGE,
  id: "npm.rotate-key",
  summary: "create a new key; older signatures stay valid",
  path: "/npm/keys",
  command: "npm keys rotate",
  input: z.strictObject({}),
  output: z.strictObject({ keyId: z.string() }),
  refusals: [],
  ending: () => ({
    title: "Rotate the key of npm signatures",
    ends: [
      "The new key signs from now on, on every instance.",
      "Signatures of the key before stay valid; clients see both keys.",
    ],
    button: "Rotate",
  }),
  async run({ parts, caller, now }) {
    const { npmKeyProtection, replaceKey } = await import("@sealhouse/npm-protocol");
    const { signingKeys: keys } = (await parts.rows()).npm;
    const protection = npmKeyProtection((await parts.signing()).keyRing);
    return { keyId: await replaceKey({ keys, protection, now: () => now }, caller) };
  },
});

const revoke = defineAction({
  ...CHANGE,
  id: "npm.revoke-key",
  summary: "revoke a replaced key and sign its versions again",
  path: "/npm/keys/{key}/revoke",
  command: "npm keys revoke <key>",
  isLong: true,
  input: z.strictObject({ key: textField(100, "Key", "The id of the key: SHA256:…") }),
  output: z.strictObject({ keyId: z.string(), outcome: z.literal("revoked") }),
  refusals: ["absent", "conflict", "busy"],
  ending: ({ keyId }) => ({
    title: "Revoke a key of npm signatures",
    ends: [
      `Clients no longer find ${keyId}, and refuse its signatures.`,
      "Its versions have no signature until the current key has signed them again.",
    ],
    button: "Revoke",
  }),
  async run({ input: { key: keyId }, parts, caller }) {
    const revoked = await (await parts.signing()).npmSignatures.revoke(keyId, caller);
    if (revoked.status === "busy") throw busy("run that signs older npm versions", revoked);
    const { result } = revoked;
    if (result === "absent") throw absent(`There is no key ${keyId}: sealhouse npm keys list`);
    if (result === "signs") {
      throw conflict(`${keyId} signs: first take another with sealhouse npm keys rotate.`);
    }
    return { keyId, outcome: result };
  },
});

/** Keys that npm versions are signed with. */
export const NPM_KEY_ACTIONS = [list, rotate, revoke];

const rotateRing = defineAction({
  ...CHANGE,
  id: "keys.rotate",
  summary: "add a key; older keys stay for decryption",
  path: "/keys/rotate",
  command: "keys rotate",
  input: z.strictObject({}),
  output: z.strictObject({ key: z.string() }),
  refusals: ["conflict"],
  async run({ parts, caller }) {
    const key = await (await parts.signing()).rotateKeyRing(caller);
    if (key === undefined) throw conflict("Another instance has just added a key to the key ring.");
    return { key };
  },
});

/** The key ring of the registry. */
export const KEY_RING_ACTIONS = [rotateRing];

function shownKey(
  { encryptedKey, ...record }: SigningKeyRecord,
  current: string | undefined,
): ShownNpmKey {
  const { keyId } = record;
  return { ...shown(record), own: encryptedKey !== undefined, signs: keyId === current };
}
