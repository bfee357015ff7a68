import { defineEntity, p } from "@mikro-orm/core";
import { key, longText, time } from "./columns.ts";
import { NAME_LENGTH } from "./name-length.ts";

/** An API token, never its value. Lists are JSON text. */
export const HostToken = defineEntity({
  name: "HostToken",
  tableName: "host_tokens",
  properties: {
    id: key(36).primary(),
    name: longText(),
    prefix: key(16).index(),
    hash: key(64),
    scheme: p.integer(),
    scopes: longText(),
    protocols: longText(),
    patterns: longText(),
    networks: longText(),
    createdAt: time(),
    expiresAt: time().nullable(),
    revokedAt: time().nullable(),
    lastUsedAt: time().nullable(),
    lastUsedFrom: key(NAME_LENGTH.address).nullable(),
  },
});
