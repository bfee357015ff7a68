import type { Protocol } from "@sealhouse/request-types";
import type { TrustedPublishers } from "@sealhouse/npm-protocol";
import type { OpenWrites } from "../orm/lazy-writes.ts";
import { NAME_LENGTH } from "../entities/name-length.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";
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
  writes: OpenWrites,
  protocol: Protocol,
): TrustedPublishers & PublisherTokens {
  return {
    async list(name) {
      return (await queries.all(LIST, { protocol, name })).map(publisherOf);
    },
    add: async (name, wanted, by, most) =>
      (await writes()).trust.add({ protocol, name, wanted, by, most }),
    revoke: async (name, id, by) => (await writes()).trust.revoke({ protocol, name, id, by }),
    issue: async (use, token, by) => (await writes()).trust.issue({ protocol, ...use, token, by }),
  };
}
