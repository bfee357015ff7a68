import type { Command as Program } from "commander";
import type { Command, Json } from "../command.ts";
import type { AddOptions } from "./source-add.ts";

type Ended = (code: number) => void;

/** Registries that packages come from. */
export function addSources(program: Program, command: Command, ended: Ended): void {
  const source = program
    .command("source")
    .description("manage the registries that packages come from");
  addAdd(source, command, ended);
  addChanges(source, command, ended);
  addQuestions(source, command, ended);
  addNames(source, command, ended);
}

function addAdd(source: Program, command: Command, ended: Ended): void {
  source
    .command("add <name>")
    .description("add a source; sources in the database replace those of the settings")
    .requiredOption("--protocol <protocol>", "nuget, npm or oci")
    .requiredOption("--url <url>", "service index, npm registry or image registry")
    .option("--type <type>", "upstream, downstream or both (default: upstream)")
    .option("--priority <number>", "lower numbers are asked first (default: 100)")
    .option("--surface <segment>", "images: only this segment, or `default` for all others")
    .option("--strategy <strategy>", "IndexAndCache, CacheOnly or ProxyOnly")
    .option("--signature-policy <policy>", "NuGet: Resign, Merge or TrustedCerts")
    .option("--trusted-certificate <fingerprints...>", "SHA-256 fingerprints for TrustedCerts")
    .option("--username <name>", "user name; requires --password-env")
    .option("--password-env <variable>", "environment variable with the password")
    .option("--token-env <variable>", "environment variable with a bearer token")
    .option("--api-key-env <variable>", "environment variable with an API key")
    .option("--header-env <name=variable...>", "secret headers, by name and variable")
    .option("--credential-origin <origins...>", "further origins that get the credentials")
    .option("--token-realm <origins...>", "images: further origins of token services")
    .option("--allow <patterns...>", "only names like these: Acme.*, @acme/*, team/**")
    .option("--deny <patterns...>", "never names like these")
    .option("--minimum-release-age <span>", "hold younger versions back: d.hh:mm:ss")
    .option("--first-contact <treatment>", "young images of tags new here: Allow or Hold")
    .option("--revalidate-after <span>", "age of a document before it is compared: d.hh:mm:ss")
    .option("--stale-if-error <span>", "time to serve documents in an outage: d.hh:mm:ss")
    .option("--on-removed <treatment>", "versions that the source removed: Keep, Hide or Deny")
    .option("--ca-path <file>", "PEM file with the certificate authorities of the source")
    .option("--allow-private-network", "the source is in a private network")
    .option("--public-through-here", "readers without a token may get its packages")
    .option("--disabled", "add it without using it")
    .option("--replace", "replace the source with this name")
    .option("--json", "print JSON")
    .action(async (name: string, options: AddOptions) => {
      ended(await (await import("./source-add.ts")).addSourceCommand(command, name, options));
    });
}

function addChanges(source: Program, command: Command, ended: Ended): void {
  const load = () => import("./source.ts");
  source
    .command("enable <name>")
    .description("use a source of the database again")
    .action(async (name: string) => ended(await (await load()).switchSource(command, name, true)));
  source
    .command("disable <name>")
    .description("stop using a source of the database; fetched packages stay")
    .action(async (name: string) => ended(await (await load()).switchSource(command, name, false)));
  source
    .command("remove <name>")
    .description("remove a source from the database; fetched packages stay")
    .action(async (name: string) => ended(await (await load()).removeSource(command, name)));
}

function addQuestions(source: Program, command: Command, ended: Ended): void {
  const load = () => import("./source.ts");
  source
    .command("list")
    .description("list sources with their state, without secrets")
    .option("--json", "print JSON")
    .action(async (options: Json) => ended(await (await load()).listSources(command, options)));
  source
    .command("test <name>")
    .description("call a source once, and print its answer in short")
    .option("--json", "print JSON")
    .action(async (name: string, options: Json) => {
      ended(await (await load()).testSource(command, name, options));
    });
}

function addNames(source: Program, command: Command, ended: Ended): void {
  const load = () => import("./source-names.ts");
  source
    .command("conflicts")
    .description("ask the sources for all own names, and list those that they have")
    .option("--protocol <protocol>", "nuget, npm or oci (default: all)")
    .option("--json", "print JSON")
    .action(async (options: Json & { readonly protocol?: string }) => {
      ended(await (await load()).listConflicts(command, options));
    });
  source
    .command("release <protocol> <name>")
    .description("make a mirrored name an own one, or end the reservation of a name or pattern")
    .option("--json", "print JSON")
    .action(async (protocol: string, name: string, options: Json) => {
      ended(await (await load()).releaseName(command, { protocol, name }, options));
    });
  source
    .command("reserve <protocol> <name>")
    .description("keep a name, or a pattern such as @acme/*, for packages of this registry")
    .option("--json", "print JSON")
    .action(async (protocol: string, name: string, options: Json) => {
      ended(await (await load()).reserveName(command, { protocol, name }, options));
    });
}
