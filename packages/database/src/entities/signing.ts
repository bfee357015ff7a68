import { defineEntity, p } from "@mikro-orm/core";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";
import { NuGetVersion } from "./nuget.ts";

/** A certificate that signs, has signed, or is prepared to. */
export const SigningCertificate = defineEntity({
  name: "SigningCertificate",
  tableName: "signing_certificates",
  properties: {
    fingerprint: key(64).primary(),
    subject: longText(),
    issuer: longText(),
    notBefore: time(),
    notAfter: time(),
    /** Null in rows from before the column. */
    listedAt: time().nullable(),
    /** In the future while the certificate is prepared. */
    firstUsedAt: time(),
    lastUsedAt: time(),
    active: p.boolean(),
    der: bytes(),
  },
});

/** A signed file that was served until the version was signed again. */
export const ReplacedSeal = defineEntity({
  name: "ReplacedSeal",
  tableName: "nuget_replaced_seals",
  indexes: [{ properties: ["version"] }],
  properties: {
    id: rowId(),
    version: () => p.manyToOne(NuGetVersion).mapToPk().deleteRule("restrict"),
    /** Null as soon as the digests are known: nobody is served with it any more. */
    plan: bytes().nullable(),
    fingerprint: key(64),
    size: big(),
    signedAt: time(),
    replacedAt: time(),
    /** Hex. */
    sha256: key(64).nullable(),
    /** Base64. */
    sha512: key(88).nullable(),
  },
});
