import type { ClientName } from "./installed-clients.ts";

/** The commands that every client has, in the words of each. */
export type Words = {
  readonly publish: readonly string[];
  readonly install: readonly string[];
  /** From the lock file alone. */
  readonly frozen: readonly string[];
};

const NPM: Words = { publish: ["publish"], install: ["install"], frozen: ["ci"] };
const PNPM: Words = {
  publish: ["publish", "--no-git-checks"],
  install: ["install", "--no-frozen-lockfile"],
  frozen: ["install", "--frozen-lockfile"],
};

export const WORDS: Readonly<Record<ClientName, Words>> = {
  "npm-10": NPM,
  "npm-11": NPM,
  "npm-12": NPM,
  "pnpm-10": PNPM,
  "pnpm-12": PNPM,
  "yarn-1": {
    publish: ["publish", "--non-interactive", "--no-git-tag-version"],
    install: ["install", "--non-interactive"],
    frozen: ["install", "--non-interactive", "--frozen-lockfile"],
  },
  "yarn-4": {
    publish: ["npm", "publish"],
    install: ["install"],
    frozen: ["install", "--immutable"],
  },
  bun: {
    publish: ["publish"],
    install: ["install"],
    frozen: ["install", "--frozen-lockfile"],
  },
};
