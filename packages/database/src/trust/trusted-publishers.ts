import type { Protocol } from "@sealhouse/request-types";
import type { TrustedPublishers } from "@sealhouse/npm-protocol";
import type { Changes } from "../transactions/changes.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
import { createTrustChanges } from "./trust-changes.ts";
import { PUBLISHER_COLUMNS, publisherOf } from "./trusted-publisher-rows.ts";
import type { PublisherTokens } from "./publisher-tokens.ts";

const LIST = defineStatement(
  "trusted-publishers",
  { protocol: param.text(NAME_LENGTH.protocol), name: param.text(214) },
  (db, { protocol, name }) =>
    db
      .selectFrom("trusted_publishers")
      .select(PUBLISHER_COLUMNS)
      .where("protocol", "=", protocol)
      .where("package_name", "=", name)
      .orderBy("created_at")
      .orderBy("id"),
);

export function createTrustedPublishers(
  queries: Queries,
  changes: Changes,
  protocol: Protocol,
): TrustedPublishers & PublisherTokens {
  const trust = createTrustChanges(changes);
  return {
    async list(name) {
      return (await queries.all(LIST, { protocol, name })).map(publisherOf);
    },
    add: (name, newPublishers, by, most) =>
      trust.add({ protocol, name, wanted: newPublishers, by, most }),
    revoke: (name, id, by) => trust.revoke({ protocol, name, id, by }),
    issue: (use, token, by) => trust.issue({ protocol, ...use, token, by }),
  };
}
