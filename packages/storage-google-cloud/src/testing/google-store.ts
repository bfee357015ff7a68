import type { ObjectStore } from "@sealhouse/storage-providers";
import { googleCloudStorage } from "../index.ts";
import type { GoogleLimits } from "../index.ts";

/** Opens a store as the host does, with the texts of its settings. */
export function openStore(
  values: Readonly<Record<string, string>>,
  {
    limits = {},
    environment = {},
  }: {
    readonly limits?: GoogleLimits;
    readonly environment?: Readonly<Record<string, string>>;
  } = {},
): Promise<ObjectStore> {
  const type = googleCloudStorage(limits).storageTypes["Gcs"];
  if (!type) throw new TypeError("the extension has no such type");
  return type.open({ values, named: (name) => environment[name] });
}

/** The settings of a host for the bucket of a stand-in. */
export function settingsFor(url: string): Readonly<Record<string, string>> {
  return { Storage__Type: "Gcs", Storage__Bucket: "artifacts", Storage__EmulatorHost: url };
}
