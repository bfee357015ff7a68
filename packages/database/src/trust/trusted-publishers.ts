import type { ChangedBy, Protocol, TokenRecord } from "@sealhouse/identity";
import type { TrustedPublishers, VerifiedIdToken } from "@sealhouse/npm-protocol";
import type { OpenWrites } from "../orm/first-write.ts";
import type { QueryPort, Statement } from "../raw/query-port.ts";
import { PUBLISHER_COLUMNS, publisherOf } from "./trusted-publisher-rows.ts";

const LIST: Statement = {
  name: "trusted-publishers",
  sql: `select ${PUBLISHER_COLUMNS} from trusted_publishers
    where protocol = ? and package_name = ? order by created_at, id`,
};

/** What a token is made for, and what it was asked for with. */
export type PublisherUse = {
  readonly name: string;
  readonly publisherId: string;
  readonly idToken: VerifiedIdToken;
};

/** Tokens of trusted publishers. */
export interface PublisherTokens {
  /**
   * Keeps a token, with its event. Its id must come from the ID token and the package alone: a
   * token of the same id that was kept before is replaced and no longer good. `revoked`: that one
   * was revoked, so the ID token gives no other. `distrusted`: the ID token is not, or not any
   * more, of this publisher. From its first token on a publisher is known by the numbers of its
   * repository too.
   */
  issue(
    use: PublisherUse,
    token: TokenRecord,
    by: ChangedBy,
  ): Promise<"issued" | "revoked" | "distrusted">;
}

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
