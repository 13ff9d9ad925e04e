{{- define "cairn.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "cairn.claim" -}}
{{ .Values.persistence.existingClaim | default (printf "%s-data" (include "cairn.name" .)) }}
{{- end }}

{{- define "cairn.scheme" -}}
{{ if .Values.tlsSecret }}https{{ else }}http{{ end }}
{{- end }}

{{- define "cairn.image" -}}
{{ .root.Values.image.registry }}/{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{/* Of a pod: nobody is root, nothing writes beside the volumes. */}}
{{- define "cairn.podSecurity" -}}
automountServiceAccountToken: false
# The variables of a release named cairn would be taken for settings.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "cairn.volumes" -}}
- name: data
  persistentVolumeClaim: { claimName: {{ include "cairn.claim" . }} }
{{ include "cairn.otherVolumes" . }}
{{- end }}

{{- define "cairn.otherVolumes" -}}
- name: tmp
  emptyDir: { sizeLimit: 256Mi }
{{- if .Values.networks }}
- name: networks
  configMap: { name: {{ include "cairn.name" . }}-networks }
{{- end }}
{{- if .Values.tlsSecret }}
- name: tls
  secret: { secretName: {{ .Values.tlsSecret }} }
{{- end }}
{{- end }}

{{/* Address of the internal API of the IPFS peer, in the embedded form in the same pod; empty without a peer. */}}
{{- define "cairn.peerUrl" -}}
{{ if .Values.ipfsPeer.enabled }}http://{{ if .Values.distributed.enabled }}{{ include "cairn.name" . }}-ipfs-peer-api{{ else }}127.0.0.1{{ end }}:5011{{ end }}
{{- end }}

{{/* Address of another service, such as (dict "root" $ "name" "gateway" "values" .Values.gateway). */}}
{{- define "cairn.serviceUrl" -}}
http://{{ include "cairn.name" .root }}-{{ .name }}:{{ .values.service.port }}
{{- end }}

{{/* One container: (dict "root" $ "name" … "port" … "adminPort" … "setting" … "resources" … "env" (names and values)). "ports": names and numbers, if "port" is internal. */}}
{{- define "cairn.container" -}}
- name: {{ .name }}
  image: {{ include "cairn.image" (dict "root" .root "name" .name) }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities: { drop: [ALL] }
  ports:
    {{- range $name, $port := .ports | default (dict .short .port) }}
    - { name: {{ $name }}, containerPort: {{ $port }} }
    {{- end }}
    - { name: {{ .short }}-admin, containerPort: {{ .adminPort }} }
  envFrom:
    - configMapRef: { name: {{ include "cairn.name" .root }}-settings }
    {{- if .root.Values.settingsSecret }}
    - secretRef: { name: {{ .root.Values.settingsSecret }} }
    {{- end }}
    {{- with include "cairn.enginesSecret" .root }}
    {{- . | nindent 4 }}
    {{- end }}
  env:
    - { name: CAIRN_HOME, value: /data }
    - { name: {{ .portSetting | default (printf "%s_PORT" .setting) }}, value: {{ .port | quote }} }
    - { name: {{ .setting }}_ADMIN_PORT, value: {{ .adminPort | quote }} }
    {{- range $name, $value := .env }}
    {{- if $value }}
    - { name: {{ $name }}, value: {{ $value | quote }} }
    {{- end }}
    {{- end }}
  # Importing a chain takes its time: live at once, ready when it is done.
  livenessProbe:
    httpGet: { path: /livez, port: {{ .short }}-admin }
    periodSeconds: 10
    timeoutSeconds: 3
    failureThreshold: 6
  startupProbe:
    httpGet: { path: /livez, port: {{ .short }}-admin }
    periodSeconds: 2
    failureThreshold: 90
  readinessProbe:
    httpGet: { path: /readyz, port: {{ .short }}-admin }
    periodSeconds: 5
    timeoutSeconds: 3
  {{- if and .root.Values.distributed.enabled .root.Values.distributed.drainDelaySeconds }}
  # A pod that ends gets requests until all balancers have removed it.
  lifecycle:
    preStop: { exec: { command: [sleep, "{{ .root.Values.distributed.drainDelaySeconds }}"] } }
  {{- end }}
  resources: {{ toYaml .resources | nindent 4 }}
  volumeMounts:
    - { name: data, mountPath: /data }
    - { name: tmp, mountPath: /tmp }
    {{- if .root.Values.networks }}
    - { name: networks, mountPath: /etc/cairn, readOnly: true }
    {{- end }}
    {{- if .root.Values.tlsSecret }}
    - { name: tls, mountPath: /etc/cairn-tls, readOnly: true }
    {{- end }}
{{- end }}

{{- define "cairn.storageContainer" -}}
{{ include "cairn.container" (dict "root" . "name" "storage-api" "short" "storage" "port" 5001 "adminPort" 6001 "setting" "STORAGE_API" "resources" .Values.storage.resources "env" (dict "IPFS_PEER_URL" (include "cairn.peerUrl" .))) }}
{{- end }}

{{- define "cairn.gatewayContainer" -}}
{{- $lag := ternary .Values.distributed.gateway.readyLagBlocksMax 0 .Values.distributed.enabled }}
{{- include "cairn.container" (dict "root" . "name" "rpc-gateway" "short" "rpc" "port" 8545 "adminPort" 9545 "setting" "RPC_GATEWAY" "resources" .Values.gateway.resources "env" (dict "CAIRN_READY_LAG_BLOCKS_MAX" $lag)) }}
{{- end }}

{{- define "cairn.ipfsGatewayContainer" -}}
{{ include "cairn.container" (dict "root" . "name" "ipfs-gateway" "short" "ipfs" "port" 8081 "adminPort" 9081 "setting" "IPFS_GATEWAY" "resources" .Values.ipfsGateway.resources "env" (dict "IPFS_PEER_URL" (include "cairn.peerUrl" .))) }}
{{- end }}

{{- define "cairn.ipfsPeerContainer" -}}
{{ include "cairn.container" (dict "root" . "name" "ipfs-peer" "short" "peer" "port" 5011 "portSetting" "IPFS_PEER_API_PORT" "ports" (dict "swarm" 4001 "swarm-ws" 4002) "adminPort" 6011 "setting" "IPFS_PEER" "resources" .Values.ipfsPeer.resources "env" dict) }}
{{- end }}

{{/* The console finds services of the same pod by their ports, others by their names. */}}
{{- define "cairn.consoleContainer" -}}
{{- $env := dict "IPFS_PEER_URL" (include "cairn.peerUrl" .) "CAIRN_HOSTS" (.Values.settings.CAIRN_HOSTS | default .Values.ingress.consoleHost) "CAIRN_PUBLIC_CONSOLE_URL" .Values.console.publicUrl "CAIRN_PUBLIC_STORAGE_URL" .Values.console.publicStorageUrl "CAIRN_PUBLIC_GATEWAY_URL" .Values.console.publicGatewayUrl "CAIRN_PUBLIC_IPFS_GATEWAY_URL" .Values.console.publicIpfsGatewayUrl }}
{{- if or .Values.distributed.enabled .Values.gateway.scaling.enabled }}
{{- $_ := set $env "CAIRN_GATEWAY_URL" (include "cairn.serviceUrl" (dict "root" . "name" "gateway" "values" .Values.gateway)) }}
{{- end }}
{{- if .Values.distributed.enabled }}
{{- $_ := set $env "CAIRN_STORAGE_URL" (include "cairn.serviceUrl" (dict "root" . "name" "storage" "values" .Values.storage)) }}
{{- if .Values.ipfsGateway.enabled }}
{{- $_ := set $env "CAIRN_IPFS_GATEWAY_URL" (include "cairn.serviceUrl" (dict "root" . "name" "ipfs-gateway" "values" .Values.ipfsGateway)) }}
{{- end }}
{{- end }}
{{- include "cairn.container" (dict "root" . "name" "console" "short" "console" "port" 8080 "adminPort" 9080 "setting" "CONSOLE" "resources" .Values.console.resources "env" $env) }}
{{- end }}

{{/* Source of the addresses and credentials of the engines; empty in the embedded form. */}}
{{- define "cairn.enginesSecret" -}}
{{- if .Values.distributed.enabled -}}
- secretRef: { name: {{ .Values.distributed.secret }} }
{{- end }}
{{- end }}

{{/* Container of the command `cairn`: (dict "root" $ "name" … "command" …). */}}
{{- define "cairn.commandContainer" -}}
- name: {{ .name }}
  image: {{ include "cairn.image" (dict "root" .root "name" "cairn") }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command: {{ .command | toJson }}
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities: { drop: [ALL] }
  {{- if .root.Values.distributed.enabled }}
  envFrom:
    - configMapRef: { name: {{ include "cairn.name" .root }}-settings }
    {{- if .root.Values.settingsSecret }}
    - secretRef: { name: {{ .root.Values.settingsSecret }} }
    {{- end }}
    {{- with include "cairn.enginesSecret" .root }}
    {{- . | nindent 4 }}
    {{- end }}
  {{- end }}
  env:
    - { name: CAIRN_HOME, value: /data }
  resources:
    requests: { cpu: 1m, memory: 8Mi }
  volumeMounts:
    - { name: data, mountPath: /data }
    - { name: tmp, mountPath: /tmp }
    {{- if and .root.Values.distributed.enabled .root.Values.networks }}
    - { name: networks, mountPath: /etc/cairn, readOnly: true }
    {{- end }}
{{- end }}
