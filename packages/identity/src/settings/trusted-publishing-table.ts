import type { SettingsTable } from "@sealhouse/settings";

/** Settings of publishing with ID tokens of build services. */
export const TRUSTED_PUBLISHING_SETTINGS = {
  Host__TrustedPublishing__Audiences: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "`https://` and the host of each public address",
    about: "Additional accepted audiences of ID tokens for NuGet packages and images.",
  },
  Host__TrustedPublishing__Issuers: {
    kind: {
      type: "named-sections",
      fields: { Url: { type: "url" }, JwksPath: { type: "path" } },
    },
    about:
      "Further issuers of ID tokens that `sealhouse pipeline` may name, in addition to those of " +
      "`Feed__Npm__TrustedPublishing`. `Url` is the claim `iss`. `JwksPath` is a file with the " +
      "JSON Web Key Set of an issuer that the host cannot reach, such as a Kubernetes cluster.",
  },
  Feed__Npm__TrustedPublishing__Enabled: {
    kind: { type: "boolean" },
    fallback: "true",
    about:
      "Lets build jobs publish without a secret, as configured with `npm trust`. Requires " +
      "`Feed__PublicBaseUrl`, `Feed__Npm__HostNames` or an audience.",
  },
  Feed__Npm__TrustedPublishing__Audiences: {
    kind: { type: "list", of: { type: "text" } },
    otherwise: "`npm:` and the host of each public address",
    about: "Additional accepted audiences of ID tokens.",
  },
  Feed__Npm__TrustedPublishing__GitHub__Issuer: {
    kind: { type: "url" },
    fallback: "https://token.actions.githubusercontent.com",
    about:
      "Issuer of the ID tokens of GitHub Actions; another one for GitHub Enterprise. A change " +
      "ends the trust in the previous issuer.",
  },
  Feed__Npm__TrustedPublishing__GitLab__Issuer: {
    kind: { type: "url" },
    fallback: "https://gitlab.com",
    about: "Issuer of the ID tokens of GitLab CI/CD: the URL of an instance.",
  },
  Feed__Npm__TrustedPublishing__CircleCI__Issuer: {
    kind: { type: "url" },
    otherwise: "CircleCI is not trusted",
    about:
      "Issuer of the ID tokens of CircleCI: `https://oidc.circleci.com/org/<id>`, with the id of " +
      "the organization.",
  },
} as const satisfies SettingsTable;
