import type { MailTemplate } from "./mail.ts";

/** The contents of a mail. */
export type MailFacts = {
  /** Name of the registry, as people see it. */
  readonly serverName: string;
  /** One line each: `Token: laptop`. */
  readonly facts: Readonly<Record<string, string>>;
};

type Text = { readonly subject: string; readonly lines: readonly string[] };

const TEXTS: Readonly<Record<MailTemplate, Text>> = {
  "first-token": {
    subject: "The first API token of an owner was created",
    lines: [
      "An API token was created for an owner who had none before.",
      "If you do not expect it, revoke it: sealhouse token revoke ID",
    ],
  },
  "token-expires": {
    subject: "An API token expires soon",
    lines: [
      "Programs that use this token lose their access when it expires.",
      "Create a successor, which keeps its scopes: sealhouse token replace ID",
    ],
  },
  "token-expired": {
    subject: "An API token has expired",
    lines: [
      "Programs that use this token have lost their access.",
      "Create a successor, which keeps its scopes: sealhouse token replace ID",
    ],
  },
  "token-leaked": {
    subject: "An API token was leaked and is revoked",
    lines: [
      "A token was reported where others can read it. The registry revoked it, and all tokens",
      "that were made with it.",
      "Look for changes that you do not know: sealhouse audit list --token ID",
    ],
  },
  "admin-token": {
    subject: "An API token with the scope admin was created",
    lines: [
      "The token administers the registry until it expires or is revoked.",
      "If you do not expect it, sign out everywhere, and tell an administrator to revoke it:",
      "sealhouse token revoke ID",
    ],
  },
  "passkey-changed": {
    subject: "The passkeys of an account changed",
    lines: [
      "A passkey confirms actions that give lasting power, such as adding a trusted publisher.",
      "If you do not expect this change, sign out everywhere and tell an administrator.",
    ],
  },
  "role-changed": {
    subject: "The role of a user changed",
    lines: [
      "The role is the upper limit of the rights of a user.",
      "If you do not expect this change, tell an administrator.",
    ],
  },
  "owners-changed": {
    subject: "The owners of a name changed",
    lines: [
      "Owners with the level manage delete versions, and change owners and trusted publishers.",
      "If you do not expect this change, tell an administrator.",
    ],
  },
  "transfer-offered": {
    subject: "A name is offered to you or your team",
    lines: [
      "The right on the name moves when the offer is accepted, and else the offer expires.",
      "Administrators list the offers: sealhouse transfer list",
    ],
  },
  "pipeline-changed": {
    subject: "The pipelines that publish a name changed",
    lines: [
      "The build jobs of a pipeline publish without a stored secret.",
      "If you do not expect this change, tell an administrator.",
    ],
  },
  "name-public": {
    subject: "A name is public now",
    lines: [
      "All callers that may read see the package or repository, with all its versions.",
      "If you do not expect this change, tell an administrator to make it private again.",
    ],
  },
  "damage-found": {
    subject: "Damaged files were found",
    lines: [
      "The storage lost or changed the bytes of at least one package or image.",
      "Pushing the same version again, or restoring the file, heals it.",
      "List all: sealhouse check, and sealhouse audit list --type blob.damaged",
    ],
  },
  "release-ended": {
    subject: "A release ended",
    lines: ["Show it: sealhouse release show ID"],
  },
  "promotion-failed": {
    subject: "A promotion failed",
    lines: ["Show the reason, and resume it: sealhouse release show ID"],
  },
  "target-token-expires": {
    subject: "The credentials of a publish target expire soon",
    lines: [
      "Promotions to this target fail when they expire.",
      "Store new ones: sealhouse target add NAME --replace, with the options of the first time",
    ],
  },
  "target-paused": {
    subject: "A publish target is paused",
    lines: [
      "The target refuses the credentials of this registry, so nothing is sent to it.",
      "Store new ones, then continue its releases: sealhouse target resume NAME",
    ],
  },
  test: {
    subject: "Test",
    lines: ["Mail from this registry arrives. Nothing needs to be done."],
  },
};

/** Renders a mail as plain text. */
export function renderMail(
  template: MailTemplate,
  { serverName, facts }: MailFacts,
): { readonly subject: string; readonly body: string } {
  const { subject, lines } = TEXTS[template];
  const told = Object.entries(facts).map(([name, value]) => `${name}: ${oneLine(value)}`);
  const body = [...lines, "", ...told, "", `-- `, `${serverName} package registry`, ""];
  return { subject: oneLine(`[${serverName}] ${subject}`), body: body.join("\n") };
}

/** Names of tokens and packages come from users. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\u{2028}\u{2029}]+/gu, " ").slice(0, 500);
}
