import type { AdministrationParts } from "@sealhouse/administration";
import type { Database } from "@sealhouse/database";
import { createWebhookFetch, eventSource } from "@sealhouse/events";
import { createOutgoingFetch } from "@sealhouse/http-server";
import type { Command } from "../command.ts";
import type { RegistryResources } from "../ports.ts";

/** The parts of a command that concern events. */
export function eventParts(
  { load }: Pick<Command, "load">,
  opening: { database(): Promise<Database>; feed(): Promise<RegistryResources> },
): Pick<AdministrationParts, "events" | "webhooks" | "mail"> {
  return {
    events: async () => (await opening.database()).events,
    webhooks: {
      allowsPrivateAddresses: () => load().config.webhooks.allowPrivateAddresses,
      keyRing: async () => (await opening.feed()).keyRing,
      async sending() {
        const { config } = load();
        const { registryId } = await opening.feed();
        return {
          fetch: createWebhookFetch(createOutgoingFetch, config.webhooks),
          userAgent: "sealhouse",
          source: eventSource(registryId, config.feed.publicBaseUrls),
        };
      },
    },
    mail: {
      config: () => load().config.mail,
      serverName: () => load().config.host.serverName,
    },
  };
}
