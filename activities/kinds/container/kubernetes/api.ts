/**
 * The used part of the Kubernetes API as transmitted. Declared here so that the build does not need a package that
 * only workers with Kubernetes have.
 */

export interface Metadata {
  readonly name?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly creationTimestamp?: Date | string;
  readonly deletionTimestamp?: Date | string;
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Job {
  readonly metadata?: Metadata;
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface Terminated {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
}

export interface Pod {
  readonly metadata?: Metadata;
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

export interface Event {
  readonly reason?: string;
  readonly message?: string;
}

interface List<T> {
  readonly items: readonly T[];
}

interface In {
  readonly namespace: string;
}

interface Named extends In {
  readonly name: string;
}

export interface BatchApi {
  createNamespacedJob(request: In & { readonly body: object }): Promise<Job>;
  readNamespacedJob(request: Named): Promise<Job>;
  listNamespacedJob(request: In & { readonly labelSelector: string }): Promise<List<Job>>;
  deleteNamespacedJob(request: Named & { readonly propagationPolicy: string }): Promise<unknown>;
}

export interface CoreApi {
  listNamespacedPod(request: In & { readonly labelSelector: string }): Promise<List<Pod>>;
  listNamespacedEvent(request: In & { readonly fieldSelector: string }): Promise<List<Event>>;
  createNamespacedConfigMap(request: In & { readonly body: object }): Promise<unknown>;
}
