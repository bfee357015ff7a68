import type { Database } from "../database.ts";
import type { PortContext } from "../port-context.ts";
import { createFirstSeen } from "./first-seen.ts";
import { createKeptDocuments } from "./kept-documents.ts";
import { mirroredCount } from "./mirrored-counts.ts";
import { createNameOrigins } from "./name-origins.ts";
import { createUpstreamCertificates } from "./upstream-certificates.ts";
import { createPolicyRules } from "./policy-rules.ts";
import { createSourceRows } from "./source-rows.ts";
import { createSourceStates } from "./source-states.ts";

export function createUpstreamPorts(context: PortContext): Database["upstream"] {
  return {
    sources: createSourceRows(context),
    states: createSourceStates(context.queries),
    origins: createNameOrigins(context),
    documents: createKeptDocuments(context),
    certificates: createUpstreamCertificates(context),
    rules: createPolicyRules(context),
    firstSeen: createFirstSeen(context),
    mirroredFrom: (source) => mirroredCount(context.queries, source),
  };
}
