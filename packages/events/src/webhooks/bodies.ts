import type { Protocol } from "@sealhouse/request-types";
import type { RegistryEvent } from "../event.ts";
import { packageOfSubject } from "../event-names.ts";
import type { WebhookFormat } from "./webhook.ts";

/** Where events come from. */
export type EventSource = {
  /** UUID of the registry. */
  readonly registryId: string;
  /** Its public address, or its id as a URN; the `source` of CloudEvents. */
  readonly address: string;
};

/** The content type of the body of each format. */
export const CONTENT_TYPES: Readonly<Record<WebhookFormat, string>> = {
  CloudEvents: "application/cloudevents+json; charset=utf-8",
  Legacy: "application/json; charset=utf-8",
};

/** Id of an event outside of the registry. A restored database reuses numbers of rows. */
export function eventIdOutside({ registryId }: EventSource, eventId: string): string {
  return `${registryId}-${eventId}`;
}

/** The source of the events of a registry: its public address, or its id without one. */
export function eventSource(registryId: string, publicUrls: readonly string[]): EventSource {
  return { registryId, address: publicUrls[0] ?? `urn:uuid:${registryId}` };
}

/** Renders an event as a subscription gets it. */
export function bodyOf(event: RegistryEvent, source: EventSource, format: WebhookFormat): string {
  return JSON.stringify(format === "Legacy" ? legacyBody(event) : cloudEvent(event, source));
}

/** CloudEvents 1.0 in the JSON format. Leaves out the address of the client. */
export function cloudEvent(event: RegistryEvent, source: EventSource) {
  const { id, type, subject, at, caller, detail } = event;
  return {
    specversion: "1.0",
    id: eventIdOutside(source, id),
    source: source.address,
    type: `sealhouse.${type}`,
    subject,
    time: at.toISOString(),
    datacontenttype: "application/json",
    dataschema: `urn:sealhouse:event:${type}:v1`,
    data: {
      actor: caller.actor,
      ...(caller.tokenId !== undefined && { tokenId: caller.tokenId }),
      ...(caller.requestId !== undefined && { requestId: caller.requestId }),
      ...(detail && { detail }),
    },
  };
}

const NAMES = { nuget: "NuGet", npm: "Npm", oci: "Oci" } as const;

/** The body of hosts for .NET. */
function legacyBody({ type, subject, at, caller, detail }: RegistryEvent) {
  const named = type.startsWith("package.") ? packageOfSubject(subject) : undefined;
  return {
    eventType: type,
    subject: named?.name ?? subject,
    actor: caller.actor,
    detail: named ? legacyDetail(named.protocol, named.version) : textOf(detail),
    timestamp: at.toISOString(),
  };
}

function legacyDetail(protocol: Protocol, version: string | undefined): string {
  const ofVersion = version === undefined ? [] : [`version=${version}`];
  if (protocol === "nuget") return ofVersion.join("; ");
  return [`protocol=${NAMES[protocol]}`, ...ofVersion].join("; ");
}

function textOf(detail: RegistryEvent["detail"]): string | null {
  if (!detail) return null;
  return Object.entries(detail)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("; ");
}
