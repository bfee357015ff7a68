import { z } from "zod";
import { field } from "../field.ts";
import { flag, NAME_MAX, optionalText, textField } from "./fields.ts";

export const PROTOCOL = z.enum(["nuget", "npm", "oci"]);
/** The file of a NuGet package that a target gets. */
export const CONTENT = z.enum(["Original", "Sealed"]);
/** Ways to publish npm versions. */
export const MODE = z.enum(["direct", "stage"]);

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
    },
  ),
  username: optionalText(255, "User name", "Where the registry wants one with the token."),
  lend: field(
    z.enum(["key", "id-token"]).optional(),
    "Lent",
    "No stored key: pipelines lend a key or an id-token to each release.",
  ),
  expires: optionalText(40, "Token expires", "Date on which the token expires: 2027-01-31.", {
    option: "--expires <date>",
  }),
  nugetContent: field(CONTENT.optional(), "NuGet", "Original or Sealed (default: Original)."),
  publish: field(MODE.optional(), "Publish", "npm: direct or stage (default: direct)."),
  attestations: flag("Attestations", "npm: send attestations along."),
  includeForeign: flag("Foreign layers", "Images: copy layers that stay at another place, too."),
  immutableTags: flag("Immutable tags", "Images: a tag that exists at the target never moves."),
  allowedOrigins: field(
    z.array(z.string().max(300)).max(50).optional(),
    "Allowed origins",
    "Further origins that get the credentials.",
    { option: "--allowed-origin <origins...>" },
  ),
  allowPrivateNetwork: flag("Private network", "The target is in a private network."),
  caPath: optionalText(
    1_000,
    "Authorities",
    "PEM file with the certificate authorities of the target.",
    { option: "--ca-path <file>", isPath: true },
  ),
  replace: flag("Replace", "Replace the target with this name."),
});

/** The fields of a new target. */
export type TargetInput = z.output<typeof TARGET_INPUT>;
