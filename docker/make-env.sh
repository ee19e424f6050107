#!/bin/sh
# Draws the secrets that docker-compose.temporal.yml asks for:  sh docker/make-env.sh > .env
# Keep the file: without NOETL_SECRETS_KEY stored credentials cannot be read any more.
set -eu
umask 077
for role in ADMIN TEMPORAL NOETL RESULTS RESULTS_CODE PLAYBOOKS; do
  printf '%s_POSTGRES_PASSWORD=%s\n' "$role" "$(openssl rand -hex 24)"
done
printf 'NOETL_SECRETS_KEY=%s\n' "$(openssl rand -base64 32)"
for token in WORKER CODE; do
  printf 'NOETL_%s_TOKEN=noetl_%s_%s\n' "$token" "$(openssl rand -hex 6)" "$(openssl rand -hex 32)"
done
