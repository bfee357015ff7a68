import {
  addFeedLine,
  insecureOption,
  npmRegistryOf,
  nugetIndexOf,
  TOKEN_PLACEHOLDER,
} from "../kit/clients/client-lines.ts";
import type { Protocol } from "@sealhouse/request-types";
import type { FrontPageModel } from "./model.ts";
import type { LatestPackage } from "../kit/page/model.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { SHELL_SAFE } from "../kit/clients/shell-lines.ts";

/** A step of a guide, with the shell lines that perform it. The lines need no editing. */
export type Step = {
  readonly title: string;
  readonly lines: readonly string[];
  readonly note?: string;
};

/** Instructions of the front page for the clients of one protocol. */
export type Guide = {
  readonly protocol: Protocol;
  readonly title: string;
  /** The URL or host name that clients configure. */
  readonly address: string;
  readonly steps: readonly Step[];
};

type Shown = Pick<FrontPageModel, "name" | "anonymousRead" | "latest">;

/**
 * Returns the instructions for one protocol. Shell lines contain the latest package when its name
 * is safe for a shell, and else an example name.
 */
export function guideFor(protocol: Protocol, address: PublicAddress, shown: Shown): Guide {
  switch (protocol) {
    case "nuget":
      return nugetGuide(address, shown);
    case "npm":
      return npmGuide(address, shown);
    case "oci":
      return ociGuide(address, shown);
  }
}

export function makeTokenLine(command: string): string {
  return `${command} token create --name laptop --scopes read,write`;
}

function nugetGuide(address: PublicAddress, shown: Shown): Guide {
  const { base, secure } = address;
  const index = nugetIndexOf(base);
  const insecure = insecureOption(secure);
  const push = `dotnet nuget push Acme.Widgets.1.0.0.nupkg --source ${index}`;
  const example = exampleOf("nuget", shown.latest);
  const target = example ? `${example.name} --version ${example.version}` : "Acme.Widgets";
  return {
    protocol: "nuget",
    title: "NuGet",
    address: index,
    steps: [
      {
        title: "Add the feed",
        lines: [addFeedLine(address, shown)],
        ...(!secure && {
          note: ".NET 9 and later require the last option, because this address is http.",
        }),
      },
      { title: "Push a package", lines: [`${push} --api-key ${TOKEN_PLACEHOLDER}${insecure}`] },
      { title: "Use a package", lines: [`dotnet add package ${target}`] },
    ],
  };
}

function npmGuide({ base }: PublicAddress, shown: Shown): Guide {
  const registry = npmRegistryOf(base);
  const key = `${registry.replace(/^https?:/, "")}:_authToken`;
  const example = exampleOf("npm", shown.latest);
  const target = example ? `${example.name}@${example.version}` : "@acme/app";
  const scope = target.startsWith("@") ? (target.split("/")[0] ?? "@acme") : "@acme";
  return {
    protocol: "npm",
    title: "npm",
    address: registry,
    steps: [
      {
        title: "Use this registry for a scope",
        lines: [`npm config set "${scope}:registry=${registry}"`],
        note: "pnpm, yarn 1 and bun read the same setting.",
      },
      {
        title: shown.anonymousRead ? "Sign in to publish" : "Sign in to read and publish",
        lines: [`npm config set "${key}=${TOKEN_PLACEHOLDER}"`],
      },
      { title: "Publish a package", lines: [`npm publish --registry ${registry}`] },
      {
        title: "Use a package",
        // The first line already directs the scope to this registry.
        lines: [`npm install ${target}${target.startsWith("@") ? "" : ` --registry ${registry}`}`],
      },
    ],
  };
}

function ociGuide(address: PublicAddress, shown: Shown): Guide {
  const { host, secure } = address;
  const option = (name: string) => (secure ? "" : ` --${name}=false`);
  const image = `${host}/team/app:1.0`;
  const pulled = `${host}/${imageOf(shown.latest)}`;
  return {
    protocol: "oci",
    title: "Container images",
    address: host,
    steps: [
      {
        title: shown.anonymousRead ? "Sign in to push" : "Sign in to pull and push",
        lines: [
          `docker login --username token ${host}`,
          `podman login${option("tls-verify")} --username token ${host}`,
        ],
        note: "Enter your token as the password. skopeo reuses the docker or podman sign-in.",
      },
      {
        title: "Push with docker",
        lines: [`docker tag app:latest ${image}`, `docker push ${image}`],
        ...withoutTls(address),
      },
      {
        title: "Push with podman or skopeo",
        lines: [
          `podman push${option("tls-verify")} app:latest ${image}`,
          `skopeo copy${option("dest-tls-verify")} docker-archive:app.tar docker://${image}`,
        ],
      },
      {
        title: "Pull an image",
        lines: [
          `docker pull ${pulled}`,
          `podman pull${option("tls-verify")} ${pulled}`,
          `skopeo copy${option("src-tls-verify")} docker://${pulled} docker-archive:app.tar`,
        ],
      },
    ],
  };
}

/** Docker has no option for plain HTTP; only its settings allow it, except for localhost. */
function withoutTls({ host, secure, local }: PublicAddress): Pick<Step, "note"> {
  if (secure || local) return {};
  const setting = `{ "insecure-registries": ["${host}"] }`;
  return { note: `This address is http. Docker accepts it with ${setting} in daemon.json.` };
}

function imageOf(latest: Shown["latest"]): string {
  const example = exampleOf("oci", latest);
  if (!example) return "team/app:1.0";
  return `${example.name}${example.version.includes(":") ? "@" : ":"}${example.version}`;
}

/** Finds the newest package of a protocol whose name and version are safe in a shell line. */
function exampleOf(protocol: Protocol, latest: Shown["latest"]): LatestPackage | undefined {
  return latest?.find(
    (latestPackage) =>
      latestPackage.protocol === protocol &&
      SHELL_SAFE.test(latestPackage.name) &&
      SHELL_SAFE.test(latestPackage.version),
  );
}
