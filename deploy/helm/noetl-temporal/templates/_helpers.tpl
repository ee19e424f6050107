{{- define "noetl.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* Of (dict "root" $ "component" …). */ -}}
{{- define "noetl.selector" -}}
app.kubernetes.io/name: noetl-temporal
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "noetl.labels" -}}
{{ include "noetl.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "noetl.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{- define "noetl.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "noetl.name" .) }}
{{- end }}

{{- /* Kinds that run what authors write, which can read all that its worker has. */ -}}
{{- define "noetl.codeKinds" -}}python shell script duckdb transfer mcp local{{- end }}

{{- /* Kinds that share a worker with one of those: what the token of workers of code is good for. */ -}}
{{- define "noetl.codeTokenKinds" -}}
{{- $codeKinds := splitList " " (include "noetl.codeKinds" .) }}
{{- $all := $codeKinds }}
{{- range $name, $own := .Values.workers }}
{{- $worker := $own | default dict }}
{{- $kinds := ternary list ($worker.kinds | default (list $name)) ($worker.workflows | default false) }}
{{- range $kinds }}{{ if has . $codeKinds }}{{ $all = concat $all $kinds }}{{ end }}{{ end }}
{{- end }}
{{- $all | uniq | join "," }}
{{- end }}

{{- /* Of (list NAME REF WHERE): a variable out of a Secret, whose reference must be there. */ -}}
{{- define "noetl.secretEnv" -}}
{{- $ref := index . 1 -}}
- name: {{ index . 0 }}
  valueFrom:
    secretKeyRef:
      name: {{ required (printf "%s.name: the Secret that holds it (docs/install.md#kubernetes)" (index . 2)) $ref.name }}
      key: {{ required (printf "%s.key: which key of the Secret" (index . 2)) $ref.key }}
{{- end }}

{{- /* What every process has. */ -}}
{{- define "noetl.commonEnv" -}}
- name: TEMPORAL_ADDRESS
  value: {{ required "temporal.address: host:port of the Temporal server" .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- if .Values.temporal.tls }}
- name: TEMPORAL_TLS
  value: 'true'
{{- end }}
{{- with .Values.temporal.serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ . | quote }}
{{- end }}
{{- if .Values.temporal.apiKey.name }}
{{ include "noetl.secretEnv" (list "TEMPORAL_API_KEY" .Values.temporal.apiKey "temporal.apiKey") }}
{{- end }}
{{- if .Values.temporal.clientCertificate }}
- name: TEMPORAL_TLS_CERT_PATH
  value: /etc/temporal-tls/tls.crt
- name: TEMPORAL_TLS_KEY_PATH
  value: /etc/temporal-tls/tls.key
{{- if .Values.temporal.privateAuthority }}
- name: TEMPORAL_TLS_CA_PATH
  value: /etc/temporal-tls/ca.crt
{{- end }}
{{- end }}
{{- if .Values.storage.secret.name }}
{{ include "noetl.secretEnv" (list "NOETL_STORAGE" .Values.storage.secret "storage.secret") }}
{{- else }}
- name: NOETL_STORAGE
  value: {{ required "storage.url or storage.secret: where large results go; none refuses results above 2 MiB" .Values.storage.url | quote }}
{{- end }}
- name: NOETL_LOG_LEVEL
  value: {{ .Values.logLevel | quote }}
{{- if .Values.encryptPayloads }}
- name: NOETL_ENCRYPT_PAYLOADS
  value: '1'
{{- end }}
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "noetl.encryptionKey" -}}
{{ include "noetl.secretEnv" (list "NOETL_SECRETS_KEY" .Values.secrets.encryptionKey "secrets.encryptionKey") }}
{{- end }}

{{- define "noetl.databaseUrl" -}}
{{ include "noetl.secretEnv" (list "DATABASE_URL" .Values.secrets.databaseUrl "secrets.databaseUrl") }}
{{- end }}

{{- define "noetl.monitoringLabels" -}}
{{ include "noetl.labels" (dict "root" . "component" "monitoring") }}
{{- with .Values.monitoring.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}
