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

{{/* Address of the internal API of the IPFS peer, which is in the same pod; empty without a peer. */}}
{{- define "cairn.peerUrl" -}}
{{ if .Values.ipfsPeer.enabled }}http://127.0.0.1:5011{{ end }}
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

{{- define "cairn.gatewayContainer" -}}
{{ include "cairn.container" (dict "root" . "name" "rpc-gateway" "short" "rpc" "port" 8545 "adminPort" 9545 "setting" "RPC_GATEWAY" "resources" .Values.gateway.resources "env" dict) }}
{{- end }}
