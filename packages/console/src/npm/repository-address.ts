const HOSTS: Readonly<Record<string, string>> = {
  github: "github.com",
  gitlab: "gitlab.com",
  bitbucket: "bitbucket.org",
};
const SHORT = /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+)(?:#.*)?$/;
const AT_HOST = /^(?:git\+)?(?:ssh:\/\/)?git@([a-z\d.-]+)[:/](?!\d+\/)([\w./~-]+)$/i;

/**
 * Returns the web URL of a repository from the formats of manifests: `git+https://…`,
 * `git@host:a/b.git`, `github:a/b`, `a/b`. Undefined for any other format.
 */
export function repositoryAddress(text: string): string | undefined {
  const written = text.trim();
  const [, host, path = ""] = SHORT.exec(written) ?? [];
  if (path !== "") return `https://${HOSTS[host ?? "github"]}/${withoutGit(path)}`;
  const [, server, place = ""] = AT_HOST.exec(written) ?? [];
  if (server !== undefined) return `https://${server}/${withoutGit(place)}`;
  const url = URL.parse(written.replace(/^git\+(?=https?:)/i, "").replace(/^git:/i, "https:"));
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  url.username = "";
  url.password = "";
  url.pathname = withoutGit(url.pathname);
  return url.href;
}

function withoutGit(path: string): string {
  return path.replace(/\.git\/?$/, "");
}
