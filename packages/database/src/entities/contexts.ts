import { Blob } from "./blob.ts";
import { Document, DocumentGroup } from "./document.ts";
import { AuditRecord, Event, EventCursor, EventDelivery } from "./event.ts";
import { HostToken } from "./identity.ts";
import { Lease } from "./lease.ts";
import { NpmPackage, NpmTag, NpmVersion } from "./npm.ts";
import { NuGetPackage, NuGetVersion, SigningCertificate } from "./nuget.ts";
import {
  OciBlobLink,
  OciManifest,
  OciManifestEdge,
  OciRepository,
  OciTag,
  OciUpload,
} from "./oci.ts";

/** What belongs to which of the two contexts. */
export const ENTITIES = {
  catalog: [
    AuditRecord,
    Blob,
    Document,
    DocumentGroup,
    Event,
    EventCursor,
    EventDelivery,
    Lease,
    NpmPackage,
    NpmTag,
    NpmVersion,
    NuGetPackage,
    NuGetVersion,
    OciBlobLink,
    OciManifest,
    OciManifestEdge,
    OciRepository,
    OciTag,
    OciUpload,
    SigningCertificate,
  ],
  identity: [HostToken],
};
