import type { ForgedPackage } from "./forge-package.ts";
import type { ForgedToken } from "./forge-signature.ts";
import { forgeTimestamps } from "./forge-signature.ts";
import { author, authority, repository, seconds } from "./forged-identities.ts";

/** One package that no test vector has, and what clients say of it. */
export type ForgedCase = {
  readonly name: string;
  readonly package: ForgedPackage;
  /** Under the `verify` policy with all roots trusted; sorted. */
  readonly codes: readonly string[];
  /** Where the SDK says something else than NuGet's own verification code. */
  readonly sdk?: {
    readonly codes: readonly string[];
    /** Where it differs, too. */
    readonly valid?: boolean;
    readonly why: string;
  };
};

export const NO_TIMESTAMP = "Warning NU3027";
export const plain = { signer: { identity: repository } } as const;

export const stamped = (...tokens: readonly Partial<ForgedToken>[]) => ({
  unsigned: (signature: Uint8Array) => [
    forgeTimestamps(
      signature,
      ...tokens.map((token) => ({ authority, at: seconds(-60), ...token })),
    ),
  ],
});
export const repositoryStamped = (...tokens: readonly Partial<ForgedToken>[]): ForgedPackage => ({
  signer: { identity: repository, ...stamped(...tokens) },
});
export const countered = (identity = repository): ForgedPackage => ({
  signer: { identity: author, kind: "author" },
  countersigners: [{ identity }],
});
