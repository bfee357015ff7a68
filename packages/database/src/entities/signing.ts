import { defineEntity, p } from "@mikro-orm/core";
import { bytes, key, longText, time } from "./columns.ts";

/** A certificate that has signed at least once. */
export const SigningCertificate = defineEntity({
  name: "SigningCertificate",
  tableName: "signing_certificates",
  properties: {
    fingerprint: key(64).primary(),
    subject: longText(),
    issuer: longText(),
    notBefore: time(),
    notAfter: time(),
    firstUsedAt: time(),
    lastUsedAt: time(),
    active: p.boolean(),
    der: bytes(),
  },
});
