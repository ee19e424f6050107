{{- /* The rights of a worker that runs containers as Jobs of its own namespace (docs/tools/container.md). */ -}}
{{- define "noetl.jobs" -}}
{{- $name := printf "%s-%s" (include "noetl.name" .pod.root) .pod.component -}}
---
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .account }}
  labels: {{- include "noetl.labels" .pod | nindent 4 }}
automountServiceAccountToken: false
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ $name }}
  labels: {{- include "noetl.labels" .pod | nindent 4 }}
rules:
  - { apiGroups: [batch], resources: [jobs], verbs: [create, get, list, delete] }
  - { apiGroups: [''], resources: [pods], verbs: [list] }
  - { apiGroups: [''], resources: [pods/log], verbs: [get] }
  - { apiGroups: [''], resources: [configmaps], verbs: [create] }
  - { apiGroups: [''], resources: [events], verbs: [list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ $name }}
  labels: {{- include "noetl.labels" .pod | nindent 4 }}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ $name }} }
subjects:
  - { kind: ServiceAccount, name: {{ .account }}, namespace: {{ .pod.root.Release.Namespace }} }
{{- end }}
