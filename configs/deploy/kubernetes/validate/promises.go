package main

import (
	"errors"
	"fmt"

	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// promises returns what in a manifest is valid and breaks a cluster that we say it fits.
func promises(object runtime.Object) error {
	switch o := object.(type) {
	case *apps.Deployment:
		return deployment(o)
	case *networking.NetworkPolicy:
		return policy(o)
	case *networking.Ingress:
		return ingress(o)
	case *monitoring.PrometheusRule:
		return selected(o.Labels)
	case *monitoring.ServiceMonitor:
		if o.Spec.JobLabel == "" {
			return errors.New("the job, by which the rules know the bot, depends on the Service's name")
		}
		return selected(o.Labels)
	default:
		return nil
	}
}

// deployment looks for what has replicas restarted that connect for long, and for users that
// OpenShift refuses: it gives each namespace some of its own.
func deployment(d *apps.Deployment) (err error) {
	pod := d.Spec.Template.Spec
	if s := pod.SecurityContext; s == nil || s.RunAsNonRoot == nil || !*s.RunAsNonRoot {
		err = errors.Join(err, errors.New("it may run as root"))
	} else if s.RunAsUser != nil || s.RunAsGroup != nil || s.FSGroup != nil {
		err = errors.Join(err, errors.New("it asks for a user or group of its own, which OpenShift refuses"))
	}
	for _, c := range pod.Containers {
		if s := c.SecurityContext; s == nil || s.RunAsUser != nil || s.RunAsGroup != nil {
			err = errors.Join(err, fmt.Errorf("%s asks for a user or group of its own, or for no security", c.Name))
		}
		for name, want := range map[string]struct {
			probe *core.Probe
			path  string
		}{"startup": {c.StartupProbe, "/healthz"}, "liveness": {c.LivenessProbe, "/healthz"}, "readiness": {c.ReadinessProbe, "/readyz"}} {
			if want.probe == nil || want.probe.HTTPGet == nil || want.probe.HTTPGet.Path != want.path {
				err = errors.Join(err, fmt.Errorf("the %s probe of %s does not ask %s", name, c.Name, want.path))
			}
		}
	}
	return err
}

// policy looks for name servers that cannot be reached, which are not in kube-system everywhere, and
// for interactions that do not arrive by way of a node.
func policy(p *networking.NetworkPolicy) (err error) {
	for _, want := range []struct {
		port     int
		protocol core.Protocol
	}{{53, core.ProtocolUDP}, {53, core.ProtocolTCP}, {5353, core.ProtocolUDP}, {5353, core.ProtocolTCP}} {
		open := false
		for _, rule := range p.Spec.Egress {
			open = open || len(rule.To) == 0 && allows(rule.Ports, intstr.FromInt(want.port), want.protocol)
		}
		if !open {
			err = errors.Join(err, fmt.Errorf("name servers anywhere cannot be asked at %d over %s", want.port, want.protocol))
		}
	}
	open := false
	for _, rule := range p.Spec.Ingress {
		open = open || len(rule.From) == 0 && allows(rule.Ports, intstr.FromString("interactions"), core.ProtocolTCP)
	}
	if !open {
		err = errors.Join(err, errors.New("interactions cannot come from a node, as they do with a NodePort"))
	}
	return err
}

// ingress looks for what Discord does not send interactions to.
func ingress(i *networking.Ingress) (err error) {
	if len(i.Spec.TLS) == 0 {
		err = errors.Join(err, errors.New("it has no certificate, and Discord takes https alone"))
	}
	for _, path := range paths(i) {
		if path.Path != "/interactions" {
			err = errors.Join(err, fmt.Errorf("it passes on %s, and the bot takes /interactions", path.Path))
		}
	}
	return err
}

// paths lists all of an Ingress.
func paths(i *networking.Ingress) (all []networking.HTTPIngressPath) {
	for _, rule := range i.Spec.Rules {
		if rule.HTTP != nil {
			all = append(all, rule.HTTP.Paths...)
		}
	}
	return all
}

// backends looks for an Ingress that leads to a port of no Service, or to one that is none of a container's.
func backends(objects []runtime.Object) (err error) {
	containers, services := make(map[string]bool), make(map[string]bool)
	for _, object := range objects {
		switch o := object.(type) {
		case *apps.Deployment:
			for _, c := range o.Spec.Template.Spec.Containers {
				for _, port := range c.Ports {
					containers[port.Name] = true
				}
			}
		case *core.Service:
			for _, port := range o.Spec.Ports {
				services[o.Name+":"+port.Name] = true
			}
		}
	}
	for _, object := range objects {
		switch o := object.(type) {
		case *core.Service:
			for _, port := range o.Spec.Ports {
				if !containers[port.TargetPort.String()] {
					err = errors.Join(err, fmt.Errorf("the Service %s leads to %s, which no container has", o.Name, port.TargetPort.String()))
				}
			}
		case *networking.Ingress:
			for _, path := range paths(o) {
				if s := path.Backend.Service; s == nil || !services[s.Name+":"+s.Port.Name] {
					err = errors.Join(err, fmt.Errorf("the Ingress %s leads to no Service that is there", o.Name))
				}
			}
		}
	}
	return err
}

// allows reports whether a port is among ports. A protocol that is left out is TCP.
func allows(ports []networking.NetworkPolicyPort, port intstr.IntOrString, protocol core.Protocol) bool {
	for _, p := range ports {
		over := core.ProtocolTCP
		if p.Protocol != nil {
			over = *p.Protocol
		}
		if p.Port != nil && *p.Port == port && over == protocol {
			return true
		}
	}
	return false
}

// selected looks for the label by which kube-prometheus-stack chooses what it reads.
func selected(labels map[string]string) error {
	if labels["release"] == "" {
		return errors.New("kube-prometheus-stack passes over it: it has no label release")
	}
	return nil
}
