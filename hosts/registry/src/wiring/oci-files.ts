import type { OciPorts } from "@sealhouse/oci-distribution";
import type { BlobStore } from "@sealhouse/storage-providers";

/** The bytes of images, as the registry's port has them. */
export function ociFiles(store: BlobStore): OciPorts["files"] {
  return {
    stage: (body, options) => store.stage(body, options),
    append: (...part) => store.uploads.append(...part),
    assemble: (id, size, options) => store.uploads.assemble(id, size, options),
    drop: (id) => store.uploads.drop(id),
    open: ({ key, size }) => ({ size, read: (...asked) => store.read(key, ...asked) }),
  };
}
