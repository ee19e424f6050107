/** Of `container`, with `runtime: kubernetes`. */
export const KUBERNETES = {
  namespace: 'Kubernetes: the namespace of the Job; default that of the credential.',
  service_account: 'Kubernetes: the service account of the Job; default none.',
  resources: 'Kubernetes: `{requests, limits}`, in addition to `limits`.',
  volumes: 'Kubernetes: a list of `{mount_path, <source>: …, name?, sub_path?, read_only?}`.',
  node_selector: 'Kubernetes: labels of the nodes that may run it.',
  tolerations: 'Kubernetes: a list of node taints that it tolerates.',
  image_pull_secrets: 'Kubernetes: names of secrets for the registry.',
  backoff_limit: 'Kubernetes: how often the cluster restarts it; default 0.',
  restart_policy: 'Kubernetes: `Never` (default) or `OnFailure`.',
  active_deadline_seconds: 'Kubernetes: how long the cluster lets it run; default longer than `timeout`.',
  ttl_seconds: 'Kubernetes: how long an ended Job remains if it is not removed; default one day.',
  cleanup: 'Kubernetes: `false` keeps a Job that has ended on its own.',
};
