import type { Protocol } from "@sealhouse/request-types";
import type { RegistryEvent } from "../event.ts";
import { packageOfSubject } from "../event-names.ts";
import type { EventName } from "../event-names.ts";
import { endOf, shownName } from "./name-mails.ts";
import { queueMailTo } from "./queue-mail.ts";
import type { UserMailParts } from "./user-mails.ts";

const TEMPLATE = "pipeline-changed";

/** Queues a mail to the owners of a package whose trusted publishers changed. */
export async function queueTrustChange(parts: UserMailParts, event: RegistryEvent): Promise<void> {
  const name = packageOfSubject(event.subject);
  if (name) await queueForName(parts, { event, name });
}

/**
 * Queues a mail to the owner of a pipeline with all its patterns, and one to the owners of each
 * name that it publishes by the exact name, without the other patterns.
 */
export async function queuePipelineChange(
  parts: UserMailParts,
  event: RegistryEvent,
): Promise<void> {
  const { id, caller, at, detail = {} } = event;
  const { owner } = detail;
  const patterns = textsIn(detail["patterns"]);
  const protocols = textsIn(detail["protocols"]);
  if (typeof owner === "string") {
    const facts = {
      Names: `${protocols.join(", ")}: ${patterns.join(", ")}`,
      ...pipelineFacts(event),
      "Changed by": caller.actor,
      Time: at.toISOString(),
    };
    const others = await parts.receivers.ofOwners([owner]);
    await queueMailTo(parts, TEMPLATE, { cause: id, facts, others });
  }
  for (const name of patterns.filter((pattern) => !pattern.includes("*"))) {
    for (const protocol of protocols) {
      await queueForName(parts, { event, name: { protocol: protocol as Protocol, name } });
    }
  }
}

/** The owner of the pipeline has its mail already, because the cause is the same. */
async function queueForName(
  parts: UserMailParts,
  { event, name }: { readonly event: RegistryEvent; readonly name: EventName },
): Promise<void> {
  const facts = {
    Name: shownName(name),
    ...pipelineFacts(event),
    ...endOf(parts, { event, name }),
  };
  const others = await parts.receivers.ofName(name);
  await queueMailTo(parts, TEMPLATE, { cause: event.id, facts, others });
}

function pipelineFacts({ detail = {} }: RegistryEvent): Readonly<Record<string, string>> {
  const { change, provider, claims } = detail;
  const entries = typeof claims === "object" && claims !== null ? Object.entries(claims) : [];
  const texts = entries.map(([field, value]) => `${field} ${textOfClaim(value)}`);
  return {
    Change: String(change),
    Provider: String(provider),
    ...(texts.length > 0 && { Jobs: texts.join(", ") }),
  };
}

function textOfClaim(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}
