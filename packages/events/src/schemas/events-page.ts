import { EVENT_TYPES } from "../event.ts";
import { dataSchemaOf, EVENT_SCHEMAS } from "./event-schemas.ts";

const INTRODUCTION = `# Events

<!-- Made by tools/generate-event-docs.ts from packages/events/src/schemas. -->

Each change of the registry writes an event in the transaction of the change. Events go to the
[audit log](audit.md), to [webhooks](webhooks.md) and to [mail](mail.md). Each consumer gets
each event of its types at least once, in order. An event that a consumer cannot handle three times
in a row delays no other: it is tried again for a day. After that it is *dead*.

\`\`\`sh
sealhouse event list
sealhouse event list --dead
\`\`\`

\`sealhouse event replay ID\` lets a running host handle one again, \`sealhouse event remove ID\`
gives it up. \`/health/feeds\` names dead events without making the host unhealthy. \`/metrics\` has
\`event_queue_length\` and \`event_dead_letters\`.

## Types

Webhooks get an event as a CloudEvent. Its \`type\` is \`sealhouse.\` and the name below, its
\`dataschema\` is the \`$id\` of the schema, and its \`data\` follows the schema. The audit log has
the same \`detail\`. New versions may add optional properties and types.
`;

/** The text of docs/events.md. */
export function eventsPage(): string {
  const sections = EVENT_TYPES.map((type) => {
    const { about, subject, isReserved } = EVENT_SCHEMAS[type];
    const note = isReserved ? " No part of this version raises it; its detail may change." : "";
    const schema = JSON.stringify(dataSchemaOf(type));
    return [
      `### ${type}`,
      "",
      `${about}${note} Subject: ${subject}.`,
      "",
      "```json",
      schema,
      "```",
      "",
    ].join("\n");
  });
  return [INTRODUCTION, ...sections].join("\n");
}
