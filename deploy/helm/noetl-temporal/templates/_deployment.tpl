{{- /*
A Deployment of one process, of a dict:
  root, component, args, env (YAML), port, health (path), grace (seconds), settings (resources, env, extraArgs),
  replicas (absent where an autoscaler decides), init (commands of containers that run before), account, token (mounts its token),
  sandboxes (it makes some)
*/ -}}
{{- define "noetl.deployment" -}}
{{- $root := .root -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "noetl.name" $root }}-{{ .component }}
  labels: {{- include "noetl.labels" . | nindent 4 }}
spec:
  {{- if hasKey . "replicas" }}
  replicas: {{ .replicas }}
  {{- end }}
  selector:
    matchLabels: {{- include "noetl.selector" . | nindent 6 }}
  strategy:
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
  template:
    metadata:
      labels:
        {{- include "noetl.labels" . | nindent 8 }}
        {{- with $root.Values.podLabels }}{{ toYaml . | nindent 8 }}{{ end }}
      {{- with $root.Values.podAnnotations }}
      annotations: {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ .account | default (include "noetl.serviceAccount" $root) }}
      automountServiceAccountToken: {{ .token | default false }}
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ add .grace 15 }}
      {{- if .sandboxes }}
      hostUsers: {{ $root.Values.sandbox.hostUsers }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        {{- if .sandboxes }}
        seccompProfile: {{- toYaml $root.Values.sandbox.seccompProfile | nindent 10 }}
        appArmorProfile: {{- toYaml $root.Values.sandbox.appArmorProfile | nindent 10 }}
        {{- else }}
        seccompProfile: { type: RuntimeDefault }
        {{- end }}
      {{- with $root.Values.image.pullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if .init }}
      initContainers:
        {{- $deployment := . }}
        {{- range .init }}
        - name: {{ .name }}
          args: {{- toYaml .args | nindent 12 }}
          {{- include "noetl.container" $deployment | nindent 10 }}
        {{- end }}
      {{- end }}
      containers:
        - name: {{ .component }}
          args: {{- concat .args (.settings.extraArgs | default list) | toYaml | nindent 12 }}
          {{- include "noetl.container" . | nindent 10 }}
          ports:
            - { name: http, containerPort: {{ .port }} }
          startupProbe:
            httpGet: { path: {{ .health }}/live, port: http }
            periodSeconds: 2
            failureThreshold: 60
          readinessProbe:
            httpGet: { path: {{ .health }}/ready, port: http }
            periodSeconds: 10
            timeoutSeconds: 5
          livenessProbe:
            httpGet: { path: {{ .health }}/live, port: http }
            periodSeconds: 20
            timeoutSeconds: 5
            failureThreshold: 6
      volumes:
        # Nothing is written but there.
        - name: tmp
          emptyDir: {}
        - name: home
          emptyDir: {}
        {{- with $root.Values.temporal.clientCertificate }}
        - name: temporal-tls
          # Read by its group: 0440.
          secret: { secretName: {{ . }}, defaultMode: 288 }
        {{- end }}
      {{- range $name := list "nodeSelector" "tolerations" "affinity" "topologySpreadConstraints" }}
      {{- with index $root.Values $name }}
      {{ $name }}: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
{{- end }}

{{- define "noetl.container" -}}
image: {{ include "noetl.image" .root }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
env:
  {{- include "noetl.commonEnv" .root | nindent 2 }}
  {{- .env | nindent 2 }}
  {{- with .settings.env }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with .settings.resources }}
resources: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
  {{- if .sandboxes }}
  procMount: Unmasked
  {{- end }}
volumeMounts:
  - { name: tmp, mountPath: /tmp }
  - { name: home, mountPath: /home/node }
  {{- if .root.Values.temporal.clientCertificate }}
  - { name: temporal-tls, mountPath: /etc/temporal-tls, readOnly: true }
  {{- end }}
{{- end }}

{{- define "noetl.disruptions" -}}
{{- if .root.Values.podDisruptionBudget.enabled }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "noetl.name" .root }}-{{ .component }}
  labels: {{- include "noetl.labels" . | nindent 4 }}
spec:
  maxUnavailable: {{ .root.Values.podDisruptionBudget.maxUnavailable }}
  selector:
    matchLabels: {{- include "noetl.selector" . | nindent 6 }}
{{- end }}
{{- end }}
