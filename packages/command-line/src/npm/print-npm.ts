import type { ShownNpmKey } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";

/** Prints keys of npm signatures. */
export const NPM_PRINTS = {
  "npm.list-keys": printOf<{ readonly items: readonly ShownNpmKey[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("There is no key yet: the first start makes it.");
      for (const key of items) stdout(lineOf(key));
    },
  }),
  "npm.rotate-key": printOf<{ readonly keyId: string }>({
    text({ keyId }, { stdout, stderr }) {
      stdout(keyId);
      stderr("This key signs from now on, on every instance, without a restart.");
      stderr("Signatures of the key before stay valid, and are not made again.");
    },
  }),
  "npm.revoke-key": printOf<{ readonly keyId: string }>({
    text({ keyId }, { stdout, stderr }) {
      stdout(keyId);
      stderr("The key is no longer listed. Its versions are signed again with the current key.");
    },
  }),
};

/** Prints changes of the key ring. */
export const KEY_RING_PRINTS = {
  "keys.rotate": printOf<{ readonly key: string }>({ text: ({ key }, { stdout }) => stdout(key) }),
};

function lineOf({ keyId, own, signs, announcedAt, expiresAt, createdAt }: ShownNpmKey): string {
  const state = signs ? "signs" : `expires ${expiresAt ?? "never"}`;
  const seen = announcedAt === undefined ? "not announced yet" : "announced";
  const whose = own ? "own" : "of another registry";
  return [keyId, whose, state, seen, `made ${createdAt.slice(0, 10)}`].join("  ");
}
