#!/usr/bin/env bash
# Builds the container image, and what `pnpm test:container` needs besides it, on a Debian machine
# that cannot pull public images: stand-ins for node, distroless, postgres and nginx, made from
# Debian packages, this machine's npm, and the Node of the workspace. As root:
#   apt-get install -y --no-install-recommends podman buildah runc netavark aardvark-dns mmdebstrap docker-compose
#   tools/container-images.sh /var/tmp/sealhouse-images
#   . /var/tmp/sealhouse-images/env && npx -y pnpm@12.21.0 test:container
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:?usage: tools/container-images.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

cat >"$folder/storage.conf" <<END
[storage]
driver = "overlay"
graphroot = "$folder/images"
runroot = "$folder/run"
END
# Works inside a container, and without systemd.
cat >"$folder/containers.conf" <<END
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
END
cat >"$folder/env" <<END
export CONTAINERS_CONF=$folder/containers.conf CONTAINERS_STORAGE_CONF=$folder/storage.conf
export SEALHOUSE_IMAGE=localhost/sealhouse
export POSTGRES_IMAGE=localhost/postgres-stand-in NGINX_IMAGE=localhost/nginx-stand-in
export SYSTEMD_IMAGE=localhost/systemd-stand-in
END
. "$folder/env"
export BUILDAH_ISOLATION=chroot

# Makes an image from Debian packages: NAME VARIANT PACKAGES.
debian() {
  local files=$folder/$1.tar
  if [[ ! -e $files ]]; then
    mmdebstrap --quiet --variant="$2" --include="$3" bookworm "$files.part.tar"
    mv "$files.part.tar" "$files"
  fi
  image=$(buildah from scratch)
  buildah add --quiet "$image" "$files" / >/dev/null
  # The authorities of this machine, which may have a proxy that ends TLS.
  buildah add --quiet "$image" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt >/dev/null
}
commit() {
  buildah commit --quiet --rm "$image" "localhost/$1" >/dev/null
}

debian runtime extract libc6,libstdc++6,libgcc-s1,base-files,netbase,tzdata
commit runtime-stand-in

debian node minbase ca-certificates
npm=$(dirname "$(dirname "$(realpath "$(command -v npm)")")")
buildah add --quiet "$image" "$(realpath node_modules/node/bin/node)" /usr/local/bin/node >/dev/null
buildah add --quiet "$image" "$npm" /usr/local/lib/node_modules/npm >/dev/null
for name in npm npx; do
  buildah run "$image" ln -s "../lib/node_modules/npm/bin/$name-cli.js" "/usr/local/bin/$name"
done
buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
  --env npm_config_cafile=/etc/ssl/certs/ca-certificates.crt "$image"
commit node-stand-in

debian servers minbase nginx-light,postgresql
buildah config --entrypoint '["nginx", "-g", "daemon off;"]' "$image"
buildah commit --quiet "$image" localhost/nginx-stand-in >/dev/null
# The variables and the folder of the official image, and nothing else of it.
cat >"$folder/postgres" <<'END'
#!/bin/sh
set -e
mkdir -p /run/postgresql && chown postgres /run/postgresql
cd /var/lib/postgresql/data
bin=$(echo /usr/lib/postgresql/*/bin)
if [ ! -e PG_VERSION ]; then
  chown postgres . && chmod 700 .
  printf %s "$POSTGRES_PASSWORD" >/run/password && chmod 644 /run/password
  setpriv --reuid postgres --regid postgres --clear-groups "$bin/initdb" --pgdata . --username "$POSTGRES_USER" \
    --pwfile /run/password --auth scram-sha-256 --encoding UTF8 >/dev/null
  echo 'host all all all scram-sha-256' >>pg_hba.conf
  echo "create database \"$POSTGRES_DB\";" |
    setpriv --reuid postgres --regid postgres --clear-groups "$bin/postgres" --single -D . postgres >/dev/null
fi
exec setpriv --reuid postgres --regid postgres --clear-groups "$bin/postgres" -D . -c 'listen_addresses=*'
END
buildah add --quiet --chmod 755 "$image" "$folder/postgres" /usr/local/bin/postgres-stand-in >/dev/null
buildah config --entrypoint '["postgres-stand-in"]' --stop-signal SIGINT "$image"
commit postgres-stand-in

# The command of docs/containers.md, with these images.
documented=$(sed -n '/^```sh build$/,/^```$/{/^```/!p}' docs/containers.md)
command=${documented/buildah build/buildah bud --pull-never --network host}
eval "${command% .} --build-arg NODE_IMAGE=localhost/node-stand-in --build-arg RUNTIME_IMAGE=localhost/runtime-stand-in ."

# A machine with systemd, where the host is as `npm install` would have installed it.
debian machine minbase dbus,systemd
buildah copy --quiet --from localhost/sealhouse "$image" /usr/local/bin/node /usr/local/bin/node >/dev/null
buildah copy --quiet --from localhost/sealhouse "$image" /app /app >/dev/null
buildah run "$image" mkdir --parents /opt/sealhouse/node_modules/.bin
buildah run "$image" ln -s /app/hosts/registry/dist/main.js /opt/sealhouse/node_modules/.bin/sealhouse
buildah config --entrypoint '["/lib/systemd/systemd"]' --stop-signal SIGRTMIN+3 "$image"
commit systemd-stand-in
