import { SHELL_SAFE } from "../kit/clients/shell-lines.ts";
import type { Snippet, SnippetPart } from "../kit/clients/install-snippets.ts";
import type { PublicAddress } from "../kit/page/public-address.ts";
import { formatImage } from "../kit/links/image-address.ts";
import { kindName } from "./artifact-names.ts";
import type { ImagePage } from "./model.ts";

type Shown = Pick<
  ImagePage,
  "repository" | "tag" | "digest" | "mediaType" | "artifactType" | "contents"
>;

type Way = {
  readonly key: string;
  readonly title: string;
  readonly pull: (image: string, folder: string) => string;
  readonly signIn: (host: string) => string;
};

const SIGN_IN = "Sign in first, with your token as the password";

/**
 * Returns shell lines for each client, most common client first. Each pulls by tag, and by digest,
 * which always gives the same bytes. Empty when a name is not safe for a shell.
 */
export function pullLines(
  shown: Shown,
  address: PublicAddress,
  { anonymousRead }: { readonly anonymousRead: boolean },
): readonly Snippet[] {
  const { repository, tag, digest } = shown;
  const { host } = address;
  const folder = repository.slice(repository.lastIndexOf("/") + 1);
  const words = [repository, digest, ...(tag === undefined ? [] : [tag])];
  if (!words.every((part) => SHELL_SAFE.test(part))) return [];
  return waysFor(shown, address).map(({ key, title, pull, signIn }) => {
    const linesOf = (reference: string) =>
      pull(`${host}/${formatImage(repository, reference)}`, folder);
    const parts: SnippetPart[] = [
      ...(anonymousRead ? [] : [{ label: SIGN_IN, lines: [signIn(host)] }]),
      ...(tag === undefined ? [] : [{ label: "By tag", lines: [linesOf(tag)] }]),
      { label: "By digest (always the same bytes)", lines: [linesOf(digest)] },
    ];
    return { key, title, parts };
  });
}

function waysFor(shown: Shown, { secure }: PublicAddress): readonly Way[] {
  const option = (text: string) => (secure ? "" : ` ${text}`);
  const login = (client: string, insecure: string) => (host: string) =>
    `${client} login${option(insecure)} --username token ${host}`;
  const docker: Way = {
    key: "docker",
    title: "docker",
    pull: (image) => `docker pull ${image}`,
    signIn: (host) => `docker login --username token ${host}`,
  };
  const podman: Way = {
    key: "podman",
    title: "podman",
    pull: (image) => `podman pull${option("--tls-verify=false")} ${image}`,
    signIn: login("podman", "--tls-verify=false"),
  };
  const all = shown.contents.type === "index" ? " --all" : "";
  const skopeo: Way = {
    key: "skopeo",
    title: "skopeo",
    pull: (image, folder) =>
      `skopeo copy${all}${option("--src-tls-verify=false")} docker://${image} oci:${folder}`,
    signIn: login("skopeo", "--tls-verify=false"),
  };
  const isImage = ["Image", "Multi-platform"].includes(kindName(shown));
  const oras: Way = {
    key: "oras",
    title: "oras",
    pull: (image, folder) =>
      isImage
        ? `oras copy${option("--from-plain-http")} --to-oci-layout ${image} ${folder}`
        : `oras pull${option("--plain-http")} ${image}`,
    signIn: login("oras", "--plain-http"),
  };
  if (isImage) return [docker, podman, skopeo, oras];
  return kindName(shown) === "Helm chart" ? [helm(option), oras, skopeo] : [oras, skopeo];
}

/** helm expects the version as an option: `oci://host/charts/app --version 1.2.3`. */
function helm(option: (text: string) => string): Way {
  return {
    key: "helm",
    title: "helm",
    pull: (image) => {
      const [, name = image, tag] = /^(.*\/[^/:@]+):([^:/]+)$/.exec(image) ?? [];
      const version = tag === undefined ? "" : ` --version ${tag.replaceAll("_", "+")}`;
      return `helm pull${option("--plain-http")} oci://${name}${version}`;
    },
    signIn: (host) => `helm registry login${option("--plain-http")} --username token ${host}`,
  };
}
