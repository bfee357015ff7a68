import { defineEntity } from "@mikro-orm/core";
import { key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/**
 * A build pipeline that may publish a package with an identity token instead of a secret. Only
 * instances of older versions read the rows; they were copied to `host_publish_policies`.
 */
export const TrustedPublisher = defineEntity({
  name: "TrustedPublisher",
  tableName: "trusted_publishers",
  indexes: [{ properties: ["protocol", "packageName"] }],
  properties: {
    /** UUID. */
    id: key(36).primary(),
    protocol: key(NAME_LENGTH.protocol),
    packageName: key(214),
    /** `github`, `gitlab`, `circleci`, or a configured issuer. */
    provider: key(32),
    /** JSON: what the token must say. */
    claims: longText(),
    /** JSON array: `createPackage`, `createStagedPackage`. */
    permissions: longText(),
    createdAt: time(),
    createdBy: key(NAME_LENGTH.actor),
  },
});
