{{- /* The task queues of a worker: lines `queue type`. */ -}}
{{- define "noetl.queues" -}}
{{- if .worker.workflows }}noetl-workflows workflow{{ else }}
{{- $prefix := ternary "noetl-" (printf "noetl-%s-" .worker.pool) (or (empty .worker.pool) (eq .worker.pool "default")) }}
{{- range $i, $kind := .kinds }}{{ if $i }}{{ "\n" }}{{ end }}{{ $prefix }}{{ $kind }} activity{{ end }}
{{- end }}
{{- end }}

{{- define "noetl.keda" -}}
{{- $root := .pod.root -}}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  name: {{ include "noetl.name" $root }}-{{ .pod.component }}
  labels: {{- include "noetl.labels" .pod | nindent 4 }}
spec:
  scaleTargetRef:
    name: {{ include "noetl.name" $root }}-{{ .pod.component }}
  pollingInterval: {{ $root.Values.autoscaling.keda.pollingInterval }}
  cooldownPeriod: {{ $root.Values.autoscaling.keda.cooldownPeriod }}
  minReplicaCount: {{ .worker.autoscaling.min }}
  maxReplicaCount: {{ .worker.autoscaling.max }}
  # Where Temporal does not answer KEDA, as many as there were meant to be.
  fallback:
    failureThreshold: 4
    replicas: {{ max 1 .worker.replicas .worker.autoscaling.min }}
  triggers:
    {{- range splitList "\n" (include "noetl.queues" .) }}
    - type: temporal
      metadata:
        endpoint: {{ $root.Values.temporal.address | quote }}
        namespace: {{ $root.Values.temporal.namespace | quote }}
        taskQueue: {{ first (splitList " " .) }}
        queueTypes: {{ last (splitList " " .) }}
        targetQueueSize: {{ $.worker.autoscaling.backlog | quote }}
        {{- with $root.Values.temporal.serverName }}
        tlsServerName: {{ . | quote }}
        {{- end }}
      {{- if or $root.Values.temporal.apiKey.name $root.Values.temporal.clientCertificate }}
      authenticationRef:
        name: {{ include "noetl.name" $root }}-temporal
      {{- end }}
    {{- end }}
{{- end }}

{{- define "noetl.hpa" -}}
{{- $root := .pod.root -}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "noetl.name" $root }}-{{ .pod.component }}
  labels: {{- include "noetl.labels" .pod | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "noetl.name" $root }}-{{ .pod.component }}
  # Without an alpha feature of Kubernetes it cannot be 0.
  minReplicas: {{ max 1 .worker.autoscaling.min }}
  maxReplicas: {{ .worker.autoscaling.max }}
  metrics:
    {{- range splitList "\n" (include "noetl.queues" .) }}
    - type: External
      external:
        metric:
          name: {{ $root.Values.autoscaling.hpa.metric }}
          selector:
            matchLabels:
              task_queue: {{ first (splitList " " .) }}
              task_type: {{ last (splitList " " .) }}
        target: { type: AverageValue, averageValue: {{ $.worker.autoscaling.backlog | quote }} }
    {{- end }}
{{- end }}
