import { z } from "zod";
import { field } from "../field.ts";
import type { FormPreset } from "../action.ts";
import { flag, NAME_MAX, optionalText, textField } from "./fields.ts";

export const PROTOCOL = z.enum(["nuget", "npm", "oci"]);
/** The file of a NuGet package that a target gets. */
export const CONTENT = z.enum(["Original", "Sealed"]);
/** Ways to publish npm versions. */
export const MODE = z.enum(["direct", "stage"]);

const CREDENTIALS = "Credentials";
const EXPERT = { group: "For experts", isExpert: true } as const;

/** Registries that many publish to. */
export const TARGET_PRESETS: readonly FormPreset[] = [
  {
    name: "nuget.org",
    title: "nuget.org",
    protocol: "nuget",
    endpoint: "https://api.nuget.org/v3/index.json",
  },
  { name: "npmjs", title: "npmjs.com", protocol: "npm", endpoint: "https://registry.npmjs.org/" },
  {
    name: "docker-hub",
    title: "Docker Hub",
    protocol: "oci",
    endpoint: "https://registry-1.docker.io/",
  },
  {
    name: "ghcr",
    title: "GitHub Container Registry",
    protocol: "oci",
    endpoint: "https://ghcr.io/",
  },
].map(({ title, name, ...values }) => ({ name, title, values: { name, ...values } }));

export const TARGET_INPUT = z.strictObject({
  name: textField(NAME_MAX, "Name", "Letters, digits and . _ -: prod-npm."),
  protocol: field(PROTOCOL, "Protocol", "nuget, npm or oci."),
  endpoint: textField(2_000, "Endpoint", "Service index or push address, npm or image registry.", {
    option: "--endpoint <url>",
    example: "https://packages.example.com/v3/index.json",
  }),
  token: optionalText(
    20_000,
    "Token",
    "Token, key or password. A command takes the environment variable that has it.",
    {
      option: "--token-env <variable>",
      isSecret: true,
      group: CREDENTIALS,
    },
  ),
  username: optionalText(255, "User name", "Where the registry wants one with the token.", {
    group: CREDENTIALS,
  }),
  lend: field(
    z.enum(["key", "id-token"]).optional(),
    "Lent",
    "No stored key: pipelines lend a key or an id-token to each release.",
    { group: CREDENTIALS, values: { key: "A key", "id-token": "An ID token" } },
  ),
  expires: optionalText(40, "Token expires", "Date on which the token expires: 2027-01-31.", {
    option: "--expires <date>",
    isDate: true,
    group: CREDENTIALS,
  }),
  nugetContent: field(
    CONTENT.optional(),
    "NuGet",
    "Original or Sealed (default: Original).",
    EXPERT,
  ),
  publish: field(MODE.optional(), "Publish", "npm: direct or stage (default: direct).", EXPERT),
  attestations: flag("Attestations", "npm: send attestations along.", EXPERT),
  includeForeign: flag(
    "Foreign layers",
    "Images: copy layers that stay at another place, too.",
    EXPERT,
  ),
  immutableTags: flag(
    "Immutable tags",
    "Images: a tag that exists at the target never moves.",
    EXPERT,
  ),
  allowedOrigins: field(
    z.array(z.string().max(300)).max(50).optional(),
    "Allowed origins",
    "Further origins that get the credentials.",
    { option: "--allowed-origin <origins...>", ...EXPERT },
  ),
  allowPrivateNetwork: flag("Private network", "The target is in a private network.", EXPERT),
  caPath: optionalText(
    1_000,
    "Authorities",
    "PEM file with the certificate authorities of the target.",
    { option: "--ca-path <file>", isPath: true, ...EXPERT },
  ),
  replace: flag("Replace", "Replace the target with this name.", EXPERT),
});

/** The fields of a new target. */
export type TargetInput = z.output<typeof TARGET_INPUT>;
