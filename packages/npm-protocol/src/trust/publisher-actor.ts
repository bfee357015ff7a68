import type { TrustProvider } from "./ports.ts";

/** As the public registry names who published. */
const LABELS: Readonly<Record<TrustProvider, string>> = {
  github: "GitHub Actions",
  gitlab: "GitLab CI/CD",
  circleci: "CircleCI",
};
const ACTOR = /^(GitHub Actions|GitLab CI\/CD|CircleCI) [^]* \((oidc:[0-9a-f-]{36})\)$/;

/** `_npmUser` of a version. */
export type Publisher = {
  readonly name: string;
  readonly email: string;
  readonly trustedPublisher?: { readonly id: TrustProvider; readonly oidcConfigId: string };
};

/**
 * The publisher in the metadata of a version, in the form of the public registry; clients look
 * there for publishes without a secret.
 */
export function publisherOf(actor: string): Publisher {
  const [, label, oidcConfigId] = ACTOR.exec(actor) ?? [];
  const id = PROVIDERS.get(label ?? "");
  if (label === undefined || oidcConfigId === undefined || id === undefined) {
    return { name: actor, email: "" };
  }
  return { name: label, email: "", trustedPublisher: { id, oidcConfigId } };
}

const PROVIDERS: ReadonlyMap<string, TrustProvider> = new Map([
  [LABELS.github, "github"],
  [LABELS.gitlab, "gitlab"],
  [LABELS.circleci, "circleci"],
]);
