{{/* Labels and annotations of a replica: (dict "root" $ "part" (dict "name" … "adminPort" …)). */}}
{{- define "cairn.replicaMetadata" -}}
labels:
  {{- include "cairn.labels" .root | nindent 2 }}
  app.kubernetes.io/component: {{ .part.name }}
  {{- if eq .part.name "gateway" }}
  cairn/gateway: "true"
  {{- end }}
annotations:
  checksum/config: {{ include (print .root.Template.BasePath "/config.yaml") .root | sha256sum }}
  # The common scrape configuration of Prometheus for pods.
  prometheus.io/scrape: "true"
  prometheus.io/port: {{ .part.adminPort | quote }}
  {{- with .root.Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/* Places replicas of a service on different nodes: (dict "root" $ "name" …). */}}
{{- define "cairn.spread" -}}
{{- with .root.Values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "cairn.selector" .root | nindent 8 }}
        app.kubernetes.io/component: {{ .name }}
{{- end }}

{{/* The larger number of replicas of its metrics applies: (dict "root" $ "name" … "kind" … "scaling" …). */}}
{{- define "cairn.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "cairn.name" .root }}-{{ .name }}
  labels: {{ include "cairn.labels" .root | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: {{ .kind }}, name: {{ include "cairn.name" .root }}-{{ .name }} }
  minReplicas: {{ .scaling.minReplicas }}
  maxReplicas: {{ .scaling.maxReplicas }}
  metrics:
    {{- if .scaling.targetRequestsInFlight }}
    - type: Pods
      pods:
        metric: { name: cairn_requests_in_flight }
        target: { type: AverageValue, averageValue: {{ .scaling.targetRequestsInFlight | quote }} }
    {{- end }}
    # Messages of WebSocket connections are in no request.
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .scaling.targetCPUUtilizationPercentage | default 70 }} }
{{- end }}

{{/* A drain of nodes ends one replica of a service at a time: (dict "root" $ "name" …). */}}
{{- define "cairn.budget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "cairn.name" .root }}-{{ .name }}
  labels: {{ include "cairn.labels" .root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels:
      {{- include "cairn.selector" .root | nindent 6 }}
      app.kubernetes.io/component: {{ .name }}
{{- end }}
