import type { SettingsTable } from "@sealhouse/settings";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Settings of webhooks. */
export const WEBHOOK_SETTINGS = {
  Host__Webhooks__Subscriptions: {
    kind: {
      type: "sections",
      fields: {
        Url: { type: "url" },
        Secret: { type: "text" },
        Events: { type: "list", of: { type: "text" } },
        Format: { type: "choice", values: ["CloudEvents", "Legacy"] },
        IncludePrivate: { type: "boolean" },
        AllowPrivateNetwork: { type: "boolean" },
      },
      secrets: ["Secret"],
    },
    otherwise: "none",
    about:
      "URLs that get events, in addition to those of `sealhouse webhook add`. `Url` is required. " +
      "Without `Events`, a subscription gets all types; without `Secret`, its requests are not " +
      "signed; without `IncludePrivate`, it gets no events about names that are not public. " +
      "`AllowPrivateNetwork` allows a receiver in a private network. See `webhooks.md`.",
  },
  Host__Webhooks__AllowPrivateAddresses: {
    kind: { type: "boolean" },
    fallback: "false",
    about: "Allows all webhooks receivers in private networks.",
  },
  Host__Webhooks__KeepDeliveries: {
    kind: { type: "time-span", minMs: 2 * DAY_MS, maxMs: 3_650 * DAY_MS },
    fallback: "7.00:00:00",
    about: "How long deliveries stay in the log, which has limits for each webhook.",
  },
} as const satisfies SettingsTable;
