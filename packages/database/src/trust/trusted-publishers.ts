import type { Protocol } from "@sealhouse/request-types";
import type { TrustedPublishers } from "@sealhouse/npm-protocol";
import type { OpenWrites } from "../orm/first-write.ts";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { PUBLISHER_COLUMNS, publisherOf } from "./trusted-publisher-rows.ts";
import type { PublisherTokens } from "./publisher-tokens.ts";

const LIST: Statement = {
  name: "trusted-publishers",
  sql: `select ${PUBLISHER_COLUMNS} from trusted_publishers
    where protocol = ? and package_name = ? order by created_at, id`,
};

export function createTrustedPublishers(
  port: QueryPort,
  writes: OpenWrites,
  protocol: Protocol,
): TrustedPublishers & PublisherTokens {
  return {
    async list(name) {
      return (await port.all(LIST, [protocol, name])).map(publisherOf);
    },
    add: async (name, wanted, by, most) =>
      (await writes()).trust.add({ protocol, name, wanted, by, most }),
    revoke: async (name, id, by) => (await writes()).trust.revoke({ protocol, name, id, by }),
    issue: async (use, token, by) => (await writes()).trust.issue({ protocol, ...use, token, by }),
  };
}
