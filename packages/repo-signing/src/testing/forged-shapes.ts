import { OID } from "../der/oid.ts";
import { ia5String, utf8String } from "../der/writer.ts";
import type { ForgedPackage } from "./forge-package.ts";
import { attribute } from "./forge-signature.ts";
import type { ForgedCase } from "./forged-case.ts";
import { countered, NO_TIMESTAMP, plain } from "./forged-case.ts";
import {
  anyPurpose,
  asAuthority,
  author,
  foreignRoot,
  future,
  issued,
  issuedAbroad,
  issuedBelow,
  issuedByNone,
  middle,
  noAuthority,
  other,
  repository,
  short,
} from "./forged-identities.ts";

const URLS = ["https://a.test/index.json", "https://b.test/index.json"] as const;
const text = (change: (hash: string) => string): ForgedPackage => ({
  ...plain,
  content: (hash) => change(`Version:1\n\n${OID.sha256}-Hash:${hash}\n\n`),
});

/** Faults and valid oddities of archive, content, attributes and certificates. */
export const forgedShapes: readonly ForgedCase[] = [
  { name: "repository", package: plain, codes: [NO_TIMESTAMP] },
  {
    name: "named by issuer and serial",
    package: { signer: { identity: repository, namedBy: "issuer" } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "version 1 beside a key identifier",
    package: { signer: { identity: repository, version: 1 } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "SHA-512",
    package: { signer: { identity: repository, hash: "sha512" } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "RSASSA-PSS",
    package: { signer: { identity: repository, scheme: "pss" } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "external attributes on the entry",
    package: { ...plain, changeEntry: ({ header }) => header.writeUInt32LE(0x20, 38) },
    codes: ["Error NU3005"],
  },
  {
    name: "flags in the local header",
    package: { ...plain, changeEntry: ({ local }) => local.writeUInt16LE(8, 6) },
    codes: ["Error NU3005"],
  },
  {
    name: "content without its last two line breaks",
    package: text((whole) => whole.trimEnd()),
    codes: ["Error NU3000"],
  },
  {
    name: "content with CRLF",
    package: text((whole) => whole.replaceAll("\n", "\r\n")),
    codes: [NO_TIMESTAMP],
  },
  {
    name: "content with more keys",
    package: text((whole) => `${whole.trimEnd()}\nMore:1\n\n`),
    codes: [NO_TIMESTAMP],
  },
  {
    name: "content with a blank after the colon",
    package: text((whole) => whole.replace("Hash:", "Hash: ")),
    codes: [NO_TIMESTAMP],
  },
  {
    name: "two service indexes in one attribute",
    package: {
      signer: {
        identity: repository,
        serviceIndexUrls: [],
        moreSigned: [attribute(OID.serviceIndexUrl, ia5String(URLS[0]), ia5String(URLS[1]))],
      },
    },
    codes: ["Error NU3000"],
  },
  {
    name: "two attributes with a service index",
    package: { signer: { identity: repository, serviceIndexUrls: URLS } },
    codes: ["Error NU3003"],
  },
  {
    name: "no owners in the list of owners",
    package: { signer: { identity: repository, owners: [] } },
    codes: ["Error NU3000"],
  },
  {
    name: "two owners",
    package: { signer: { identity: repository, owners: ["alice", "bob"] } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "no signing-certificate-v2",
    package: { signer: { identity: repository, binding: "none" } },
    codes: ["Error NU3011"],
  },
  {
    name: "signing-certificate of version 1",
    package: { signer: { identity: repository, binding: "v1" } },
    codes: ["Error NU3011"],
  },
  {
    name: "signing-certificate-v2 about another certificate",
    package: { signer: { identity: repository, binding: "wrong" } },
    codes: ["Error NU3011"],
  },
  {
    name: "no signing time",
    package: { signer: { identity: author, kind: "author", signedAt: undefined } },
    codes: ["Error NU3011"],
  },
  {
    name: "no certificates",
    package: { ...plain, hasNoCertificates: true },
    codes: ["Error NU3010"],
  },
  {
    name: "an author's and a repository's at once",
    package: { signer: { identity: repository, kind: "both" } },
    codes: ["Error NU3000"],
  },
  {
    name: "a repository countersigned a repository's signature",
    package: { ...plain, countersigners: [{ identity: other }] },
    // Only a lookup of the countersignature reports NU3033; this command does not look it up.
    codes: [NO_TIMESTAMP],
  },
  {
    name: "two repositories countersigned",
    package: { ...countered(), countersigners: [{ identity: repository }, { identity: other }] },
    codes: ["Error NU3032"],
  },
  {
    name: "two signers",
    package: { ...plain, moreSigners: [{ identity: other }] },
    codes: ["Error NU3009"],
  },
  {
    name: "a corrupt signature",
    package: { signer: { identity: repository, isCorrupt: true } },
    codes: ["Error NU3012", NO_TIMESTAMP],
  },
  {
    name: "a countersignature without a signing time",
    package: { ...countered(), countersigners: [{ identity: repository, signedAt: undefined }] },
    codes: ["Error NU3031"],
  },
  {
    name: "a countersignature by nobody known",
    package: {
      ...countered(),
      countersigners: [{ identity: repository, kind: "neither", serviceIndexUrls: [] }],
    },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "a signed attribute that nobody knows",
    package: {
      signer: {
        identity: repository,
        moreSigned: [attribute("1.3.6.1.4.1.99999.2", utf8String("more"))],
      },
    },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "a key of 1024 bits",
    package: { signer: { identity: short } },
    codes: ["Error NU3014", NO_TIMESTAMP],
  },
  {
    name: "a certificate of the day after tomorrow",
    package: { signer: { identity: future } },
    codes: ["Error NU3017", NO_TIMESTAMP],
  },
  {
    name: "a certificate for every purpose",
    package: { signer: { identity: anyPurpose } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "a certificate authority",
    package: { signer: { identity: asAuthority } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "comment",
    package: { ...plain, odd: { comment: "made by hand" } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "an issued certificate whose root stays at home",
    package: { signer: { identity: issued } },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "a chain of three",
    package: { signer: { identity: issuedBelow }, certificates: [middle] },
    codes: [NO_TIMESTAMP],
  },
  {
    name: "a chain whose middle is missing",
    package: { signer: { identity: issuedBelow } },
    codes: ["Error NU3012", NO_TIMESTAMP],
  },
  {
    name: "an issuer that is no authority",
    package: { signer: { identity: issuedByNone }, certificates: [noAuthority] },
    codes: ["Error NU3012", NO_TIMESTAMP],
  },
  {
    name: "a chain to a root that nobody trusts",
    package: { signer: { identity: issuedAbroad }, certificates: [foreignRoot] },
    codes: ["Error NU3018", NO_TIMESTAMP],
  },
  {
    name: "a chain to a root that nobody trusts and that is missing",
    package: { signer: { identity: issuedAbroad } },
    codes: ["Error NU3012", NO_TIMESTAMP],
  },
];
