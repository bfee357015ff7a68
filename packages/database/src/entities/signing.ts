import { defineEntity, p } from "@mikro-orm/core";
import { big, bytes, key, longText, rowId, time } from "./columns.ts";
import { NuGetVersion } from "./nuget.ts";

/** A current, former or prepared signing certificate. */
export const SigningCertificate = defineEntity({
  name: "SigningCertificate",
  tableName: "signing_certificates",
  properties: {
    fingerprint: key(64).primary(),
    subject: longText(),
    issuer: longText(),
    notBefore: time(),
    notAfter: time(),
    listedAt: time(),
    /** A time in the future while the certificate is prepared. */
    firstUsedAt: time(),
    lastUsedAt: time(),
    active: p.boolean(),
    der: bytes(),
  },
});

/** A former signature of a version that was signed again. */
export const ReplacedSeal = defineEntity({
  name: "ReplacedSeal",
  tableName: "nuget_replaced_seals",
  indexes: [{ properties: ["version"] }],
  properties: {
    id: rowId(),
    version: () => p.manyToOne(NuGetVersion).mapToPk().deleteRule("restrict"),
    /** Null once the digests are known, because the signed file is then no longer served. */
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
