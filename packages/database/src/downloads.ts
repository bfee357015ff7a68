import type { Protocol } from "@sealhouse/request-types";
import type { Parameter, QueryPort, Statement } from "./raw/query-port.ts";

/** Pulls of one version since the last flush. OCI: repository and tag or digest. */
export type DownloadCount = {
  readonly protocol: Protocol;
  readonly name: string;
  readonly version: string;
  readonly count: number;
};

export interface Downloads {
  /** Adds what was counted in memory; versions that nobody has are passed over. */
  add(counts: readonly DownloadCount[]): Promise<void>;
}

const NUGET_VERSION: Statement = {
  name: "nuget-downloads",
  sql: `update nuget_versions set downloads = downloads + ? where lower_version = ?
    and package_id = (select id from nuget_packages where lower_id = ?)`,
};
const NUGET_PACKAGE: Statement = {
  name: "nuget-package-downloads",
  sql: "update nuget_packages set downloads = downloads + ? where lower_id = ?",
};
const NPM: Statement = {
  name: "npm-downloads",
  sql: `update npm_versions set downloads = downloads + ? where version = ?
    and package_id = (select id from npm_packages where name = ?)`,
};
const OCI: Statement = {
  name: "oci-pulls",
  sql: "update oci_repositories set pulls = pulls + ? where name = ?",
};

export function createDownloads(port: QueryPort): Downloads {
  return {
    async add(counts) {
      for (const counted of counts) {
        for (const [statement, parameters] of writesOf(counted)) {
          await port.run(statement, parameters);
        }
      }
    },
  };
}

function writesOf(counted: DownloadCount): readonly [Statement, readonly Parameter[]][] {
  const { protocol, name, version, count } = counted;
  switch (protocol) {
    case "nuget":
      return [
        [NUGET_VERSION, [count, version.toLowerCase(), name.toLowerCase()]],
        [NUGET_PACKAGE, [count, name.toLowerCase()]],
      ];
    case "npm":
      return [[NPM, [count, version, name]]];
    case "oci":
      return [[OCI, [count, name]]];
  }
}
