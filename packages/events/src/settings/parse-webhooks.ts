import type { Settings } from "@sealhouse/settings";
import type { ConfiguredWebhook } from "../webhooks/configured-webhooks.ts";
import { eventProblem, secretProblem, urlProblem } from "../webhooks/webhook-problems.ts";
import type { WebhookFormat } from "../webhooks/webhook.ts";
import { WEBHOOK_SETTINGS } from "./webhook-table.ts";

export type WebhookConfig = {
  readonly subscriptions: readonly ConfiguredWebhook[];
  readonly allowPrivateAddresses: boolean;
  /** Milliseconds. */
  readonly keepDeliveriesMs: number;
  /** Sentences for the log. */
  readonly warnings: readonly string[];
};

export function parseWebhooks(settings: Settings): WebhookConfig {
  const own = settings.of(WEBHOOK_SETTINGS);
  const warnings: string[] = [];
  const subscriptions = own.get("Host__Webhooks__Subscriptions").flatMap((section) => {
    const { key, fields, lists } = section;
    const { Url: url, Secret: secret, Format: format } = fields;
    const events = lists["Events"] ?? [];
    if (url === undefined) {
      if (!settings.textOf(`${key}__Url`)) settings.problem(`${key}__Url`, "is required");
      return [];
    }
    const add = (field: string, problem: string | undefined) => {
      if (problem !== undefined) settings.problem(`${key}__${field}`, problem);
    };
    add("Url", urlProblem(url));
    add("Secret", secret === undefined ? undefined : secretProblem(secret));
    for (const event of events) add("Events", eventProblem(event));
    if (format === undefined) warnings.push(formatNotice(key));
    return [
      {
        url,
        events,
        ...(secret !== undefined && { secret }),
        format: (format as WebhookFormat | undefined) ?? "CloudEvents",
        includesPrivate: fields["IncludePrivate"] === "true",
        allowsPrivateNetwork: fields["AllowPrivateNetwork"] === "true",
      },
    ];
  });
  return {
    subscriptions,
    allowPrivateAddresses: own.get("Host__Webhooks__AllowPrivateAddresses"),
    keepDeliveriesMs: own.get("Host__Webhooks__KeepDeliveries"),
    warnings,
  };
}

function formatNotice(key: string): string {
  return (
    `${key} gets CloudEvents. A receiver of a host for .NET expects another body: set ` +
    `${key}__Format to Legacy, or to CloudEvents to end this notice`
  );
}
