import { expect, test } from "vitest";
import { packageBytesOf } from "../archive/package-bytes.ts";
import type { ForgedIdentity } from "../testing/forge-certificate.ts";
import type { ForgedPackage } from "../testing/forge-package.ts";
import { FORGED_ID, forgePackage } from "../testing/forge-package.ts";
import { countered, plain, repositoryStamped, stamped } from "../testing/forged-case.ts";
import * as identities from "../testing/forged-identities.ts";
import { buildTestPackage } from "../testing/test-package.ts";
import type { TrustedSigner } from "./allow-list.ts";
import type { VerificationPolicy } from "./policy.ts";
import type { VerifyOptions } from "./verify-package.ts";
import { verifyPackage } from "./verify-package.ts";

const { author, expired, forgedRoots, other, repository, short, timeUntrusted } = identities;
const stranger = identities.issuedAbroad;

const hex = ({ certificate }: ForgedIdentity) => certificate.fingerprint;
const unsigned = buildTestPackage(FORGED_ID, "1.0.0");
const tampered = forgePackage(plain);
tampered[40] = (tampered[40] ?? 0) ^ 1;

/** `+` when it is valid, then `e` or `w` and the code of each issue. */
async function verdict(file: Uint8Array, options: Partial<VerifyOptions>): Promise<string> {
  const packageVerification = await verifyPackage(packageBytesOf(file), {
    roots: forgedRoots,
    timestampRoots: forgedRoots,
    now: new Date(),
    ...options,
  });
  const issues = packageVerification.issues
    .filter(({ code }) => code !== "NU3027")
    .map(({ level, code }) => `${level.charAt(0)}${code.slice(2)}`);
  return [packageVerification.valid ? "+" : "-", ...new Set(issues)].join(" ");
}

const everybody: readonly TrustedSigner[] = [repository, author, short, expired, stranger].map(
  (identity) => ({ fingerprint: hex(identity) }),
);
const listed = {
  allRepositorySigned: true,
  fingerprints: [repository, short, expired, stranger].map(hex),
};
const columns: readonly Partial<VerifyOptions>[] = [
  { policy: "accept" },
  { policy: "require", trustedSigners: everybody },
  { policy: "verify" },
  { policy: "accept", repository: listed },
];
const nourl: ForgedPackage = { signer: { identity: repository, serviceIndexUrls: [] } };

/**
 * Behaviour of restore by default, of restore with required signatures, of the verify command, and
 * of restore when the feed declares that it signs everything.
 */
test.each([
  ["unsigned", unsigned, ["+", "- e3004", "- e3004", "- e3004"]],
  ["good", forgePackage(plain), ["+", "+", "+", "+"]],
  ["of an illegal format", forgePackage(nourl), ["+ w3000", "- e3000", "- e3000", "+ w3000"]],
  ["changed", tampered, ["- e3008", "- e3008", "- e3008", "- e3008"]],
  [
    "signed with an illegal certificate",
    forgePackage({ signer: { identity: short } }),
    ["- w3014", "- e3014", "- e3014", "- w3014"],
  ],
  [
    "signed under an untrusted root",
    forgePackage({ signer: { identity: stranger }, certificates: [identities.foreignRoot] }),
    ["+ w3018", "- e3018", "- e3018", "- e3018"],
  ],
  [
    "signed with an expired certificate",
    forgePackage({ signer: { identity: expired } }),
    ["+ w3037", "- e3037", "- e3037", "- e3037"],
  ],
  [
    "time-stamped by an untrusted authority",
    forgePackage(repositoryStamped({ authority: timeUntrusted })),
    ["+ e3028", "+ e3028", "- e3028", "+ e3028"],
  ],
  [
    "time-stamped over something else",
    forgePackage(repositoryStamped({ isOfOther: true })),
    ["+ w3019", "+ w3019", "- e3019", "+ w3019"],
  ],
])("a package that is %s", async (_what, file, expected) => {
  expect(await Promise.all(columns.map((options) => verdict(file, options)))).toEqual(expected);
});

const all = (fingerprints: readonly ForgedIdentity[], allRepositorySigned: boolean) => ({
  policy: "accept" as const,
  repository: { allRepositorySigned, fingerprints: fingerprints.map(hex) },
});

test.each([
  ["not all, some listed", "unsigned", unsigned, all([repository], false), "+"],
  ["not all, listed", "ours", forgePackage(plain), all([repository], false), "+"],
  ["not all, others listed", "ours", forgePackage(plain), all([other], false), "+ w3034"],
  [
    "not all, listed",
    "an author's",
    forgePackage({ signer: { identity: author, kind: "author" } }),
    all([repository, author], false),
    "+ w3034",
  ],
  ["not all, listed", "countersigned", forgePackage(countered()), all([repository], false), "+"],
  ["not all, none listed", "ours", forgePackage(plain), all([], false), "+"],
  ["all, listed", "unsigned", unsigned, all([repository], true), "- e3004"],
  ["all, listed", "ours", forgePackage(plain), all([repository], true), "+"],
  ["all, listed", "countersigned", forgePackage(countered()), all([repository], true), "+"],
  ["all, others listed", "ours", forgePackage(plain), all([other], true), "- e3034"],
  ["all, none listed", "ours", forgePackage(plain), all([], true), "- e3034"],
])("a feed that says %s, and a package that is %s", async (...[, , file, options, expected]) => {
  expect(await verdict(file, options)).toBe(expected);
});

test("a feed that says all are signed does not make up for an untrusted root", async () => {
  const ours = forgePackage(plain);
  const options = { ...all([repository], true), roots: [] };
  expect(await verdict(ours, options)).toBe("- e3018");
  expect(await verdict(ours, { ...all([repository], false), roots: [] })).toBe("+ w3018");
});

const upper = hex(repository).toUpperCase();

test.each<[string, TrustedSigner[], VerificationPolicy, string]>([
  ["nobody", [], "require", "- e3034"],
  ["nobody", [], "accept", "+ w3018"],
  ["somebody else", [{ fingerprint: hex(other) }], "accept", "+ w3034 w3018"],
  ["somebody else", [{ fingerprint: hex(other) }], "verify", "- e3034 e3018"],
  ["the signer", [{ fingerprint: hex(repository) }], "verify", "- e3018"],
  [
    "an author of that certificate",
    [{ fingerprint: upper, as: "author" }],
    "accept",
    "+ w3034 w3018",
  ],
  [
    "the signer, whatever its root",
    [{ fingerprint: upper, as: "repository", allowUntrustedRoot: true }],
    "require",
    "+",
  ],
  [
    "the signer in lower case, whatever its root",
    [{ fingerprint: hex(repository), allowUntrustedRoot: true }],
    "verify",
    "- e3018",
  ],
  [
    "the signer for Alice's packages",
    [{ fingerprint: upper, as: "repository", owners: ["Alice"], allowUntrustedRoot: true }],
    "verify",
    "+",
  ],
  [
    "the signer for Bob's packages",
    [{ fingerprint: upper, as: "repository", owners: ["Bob"], allowUntrustedRoot: true }],
    "verify",
    "- e3034",
  ],
])("trusting %s: %o under %s is %s", async (_who, trustedSigners, policy, expected) => {
  const file = forgePackage({ signer: { identity: repository, owners: ["alice"] } });
  const roots = policy === "require" && trustedSigners.length === 0 ? forgedRoots : [];
  expect(await verdict(file, { policy, trustedSigners, roots })).toBe(expected);
});

const expiredAuthor = { identity: expired, kind: "author" } as const;
const strangeAuthor = { identity: stranger, kind: "author" } as const;
const inTime = stamped({ at: identities.days(-20) });

test.each<[string, ForgedPackage, string]>([
  [
    "an author with an untrusted root is forgiven when a good repository countersigned",
    { signer: strangeAuthor, countersigners: [{ identity: repository }] },
    "+",
  ],
  [
    "the same without a countersignature is not",
    { signer: strangeAuthor, certificates: [identities.foreignRoot] },
    "- e3018",
  ],
  [
    "an expired author is not forgiven by a countersignature of today",
    { signer: expiredAuthor, countersigners: [{ identity: repository }] },
    "- e3037",
  ],
  [
    "an expired author is forgiven by a countersignature stamped in the author's time",
    {
      signer: expiredAuthor,
      countersigners: [{ identity: identities.longStanding, ...inTime }],
    },
    "+",
  ],
  [
    "a bad countersignature forgives nothing",
    { signer: expiredAuthor, countersigners: [{ identity: short, ...inTime }] },
    "- e3037 e3014",
  ],
])("%s", async (_what, forged, expected) => {
  const certificates = [identities.foreignRoot, ...(forged.certificates ?? [])];
  expect(await verdict(forgePackage({ ...forged, certificates }), { policy: "verify" })).toBe(
    expected,
  );
});

test("certificates that are trusted themselves need no root", async () => {
  const trustedCertificates = new Set([hex(repository)]);
  const options = { roots: [], trustedCertificates };
  expect(await verdict(forgePackage(plain), options)).toBe("+");
  expect(await verdict(forgePackage({ signer: { identity: other } }), options)).toBe("- e3018");
});
